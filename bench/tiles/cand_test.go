package tiles

import "fmt"

func init() {
	add := func(name string, f func(*cand)) {
		candidates = append(candidates, struct {
			name string
			new  func(b int64) Policy
		}{name, func(b int64) Policy { return newCand(b, f) }})
	}
	add("c0", func(*cand) {})
	add("c-win1", func(p *cand) { p.winSecond = 1 })
	add("c-win2", func(p *cand) { p.winSecond = 2 })
	add("c-w5", func(p *cand) { p.winPart = .05 })
	add("c-w10", func(p *cand) { p.winPart = .1 })
	add("c-w20", func(p *cand) { p.winPart = .2 })
	add("c-s4", func(p *cand) { p.sample = 4 })
	add("c-p0", func(p *cand) { p.protPart = 0 })
	add("c-p5", func(p *cand) { p.period = 5 })
	add("c-p20", func(p *cand) { p.period = 20 })
	add("c-a.5", func(p *cand) { p.alpha = .5 })
	add("c-a1", func(p *cand) { p.alpha = 1 })
	add("c-a.5s4", func(p *cand) { p.alpha = .5; p.sample = 4 })
	add("c-a1s4", func(p *cand) { p.alpha = 1; p.sample = 4 })
	add("c-ad", func(p *cand) { p.adapt = 1; p.winSecond = 1 })
	add("c-ad-a.5s4", func(p *cand) { p.adapt = 1; p.alpha = .5; p.sample = 4; p.winSecond = 1 })
	add("c-climb", func(p *cand) { p.winSecond = 1; p.climb = &climber{step: 0.0625} })
	add("c-climb-a.5s4", func(p *cand) { p.winSecond = 1; p.climb = &climber{step: 0.0625}; p.alpha = .5; p.sample = 4 })

	for _, x := range []float64{.02, .05, .1, .2} {
		for _, st := range []float64{.25, 1, 4} {
			add(fmt.Sprintf("g-x%v-st%v", x, st), func(p *cand) { p.winSecond = 1; p.adapt = 2; p.ghostLife = x; p.step = st; p.sample = 4; p.alpha = .5 })
		}
	}

	base := func(p *cand) { p.winSecond = 1; p.adapt = 2; p.ghostLife = .05; p.step = 1; p.sample = 4; p.alpha = .5 }
	v := func(name string, f func(*cand)) { add("v-"+name, func(p *cand) { base(p); f(p) }) }
	v("base", func(p *cand) {})
	v("a0", func(p *cand) { p.alpha = 0 })
	v("a0s1", func(p *cand) { p.alpha = 0; p.sample = 1 })
	v("a.25", func(p *cand) { p.alpha = .25 })
	v("a.75", func(p *cand) { p.alpha = .75 })
	v("s1", func(p *cand) { p.sample = 1 })
	v("s2", func(p *cand) { p.sample = 2 })
	v("s8", func(p *cand) { p.sample = 8 })
	v("p0", func(p *cand) { p.protPart = 0 })
	v("p50", func(p *cand) { p.protPart = 50 })
	v("p90", func(p *cand) { p.protPart = 90 })
	v("cap3", func(p *cand) { p.cap = 3 })
	v("cap7", func(p *cand) { p.cap = 7 })
	v("cap31", func(p *cand) { p.cap = 31 })
	v("per5", func(p *cand) { p.period = 5 })
	v("per20", func(p *cand) { p.period = 20 })
	v("win2", func(p *cand) { p.winSecond = 2 })
	v("win0", func(p *cand) { p.winSecond = 0 })
	v("once", func(p *cand) { p.harvest = true })
	v("miss1", func(p *cand) { p.ageMiss = 1 })
	v("miss3", func(p *cand) { p.ageMiss = 3 })
	v("miss10", func(p *cand) { p.ageMiss = 10 })
	v("miss3cap7", func(p *cand) { p.ageMiss = 3; p.cap=7 })
	v("st.5", func(p *cand) { p.step = .5 })
	v("st2", func(p *cand) { p.step = 2 })
	v("x.03", func(p *cand) { p.ghostLife = .03 })
	v("fixedstep", func(p *cand) { p.adapt = 3 })
	v("w.002", func(p *cand) { p.winPart = .002 })

	u := func(name string, f func(*cand)) { add("u-"+name, func(p *cand) { base(p); p.pure=true; f(p) }) }
	u("base", func(p *cand) {})
	for _, per := range []float64{5,10,20,40} {
		u(fmt.Sprint("per",per), func(p *cand) { p.period=per })
		u(fmt.Sprint("p90per",per), func(p *cand) { p.period=per; p.protPart=90 })
		u(fmt.Sprint("a.25per",per), func(p *cand) { p.period=per; p.alpha=.25 })
		u(fmt.Sprint("a.0per",per), func(p *cand) { p.period=per; p.alpha=0 })
	}
	u("cap7", func(p *cand) { p.cap=7 })
	u("cap31", func(p *cand) { p.cap=31 })
	u("x.03", func(p *cand) { p.ghostLife=.03 })
	u("st2", func(p *cand) { p.step=2 })
	u("st.5", func(p *cand) { p.step=.5 })
	u("s1", func(p *cand) { p.sample=1 })
	u("s8", func(p *cand) { p.sample=8 })
	u("win2", func(p *cand) { p.winSecond = 2 })

	for _, per := range []float64{10,15,20,30} {
		for _, x := range []float64{.02,.05,.1} {
		for _, st := range []float64{1,2} {
		u(fmt.Sprint("W2per",per,"x",x,"st",st), func(p *cand) { p.period=per; p.winSecond=2; p.ghostLife=x; p.step=st })
		}}
		u(fmt.Sprint("W2per",per,"p60"), func(p *cand) { p.period=per; p.winSecond=2; p.protPart=60 })
		u(fmt.Sprint("W2per",per,"p90"), func(p *cand) { p.period=per; p.winSecond=2; p.protPart=90 })
		u(fmt.Sprint("W2per",per,"LE"), func(p *cand) { p.period=per; p.winSecond=2; p.admitLE=true })
	}

	candidates = append(candidates, struct {
			name string
			new  func(b int64) Policy
		}{"marklfu", func(b int64) Policy { return newMarked(b) }})
	for _, pp := range []int64{70,80} {
	for _, per := range []float64{10,15,20} {
	for _, x := range []float64{.05,.1,.15} {
	u(fmt.Sprint("X4p",pp,"per",per,"x",x), func(p *cand) { p.period=per; p.winSecond=3; p.protPart=pp; p.ghostLife=x })
	}}

	u(fmt.Sprint("W4p",pp), func(p *cand) { p.period=20; p.winSecond=3; p.protPart=pp })
	u(fmt.Sprint("W5p",pp), func(p *cand) { p.period=20; p.winSecond=4; p.protPart=pp })

	u(fmt.Sprint("W3p",pp), func(p *cand) { p.period=20; p.winSecond=2; p.protPart=pp })
	u(fmt.Sprint("W3p",pp,"s3"), func(p *cand) { p.period=20; p.winSecond=2; p.protPart=pp;p.sample=3 })
	u(fmt.Sprint("W3p",pp,"s8"), func(p *cand) { p.period=20; p.winSecond=2; p.protPart=pp;p.sample=8 })
	}
}

type withMarks struct {
	*markLFU
	marks []bool
}

func newMarked(b int64) Policy {
	w := &withMarks{}
	w.markLFU = newMarkLFU(b, func(i int32) bool {
		for int(i) >= len(w.marks) {
			w.marks = append(w.marks, false)
		}
		was := w.marks[i]
		w.marks[i] = false
		return was
	})
	return w
}

func (w *withMarks) Hit(i int32) { w.marks[i] = true }
