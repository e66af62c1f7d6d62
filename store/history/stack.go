package history

import "time"

// packPrice is the cost of a pack in bytes, besides the bytes that it is made from.
const packPrice = 4 << 10

// PackRun returns which layers of a stack, bottom first, from from on and below to, are best packed
// into one stone, so that at most high layers are left. made says when the commit up to which each layer goes was made,
// zero if no log has it any more; nil counts as that. Of all runs it takes the one with the lowest price
// for each layer that goes away, and of equal ones the highest, then the longest. A layer costs more if a Retention
// keeps a version within the run for long, because the layers up to that version then stay beside the pack. The lowest
// layer is only packed together with all others.
func PackRun(layers []Layer, made []time.Time, high int) (from, to int) {
	best := 0.0
	joined := func(i int) bool { return layers[i].Upto == layers[i+1].Upto } // two stones of one commit
	for top := len(layers) - 1; top > 0; top-- {
		if top < len(layers)-1 && joined(top) {
			continue
		}
		price, stays := float64(packPrice), 0.0
		for i := top; i >= 0; i-- {
			size := float64(layers[i].Stone.Size)
			if i < top && made != nil {
				stays = max(stays, worth(made[i:]))
			}
			price += size + stays*size
			gone := top - i
			if gone < max(1, len(layers)-max(1, high)) || i > 0 && joined(i-1) || i == 0 && top < len(layers)-1 {
				continue
			}
			if each := price / float64(gone); best == 0 || each < best || each == best && to == top+1 {
				best, from, to = each, i, top+1
			}
		}
	}
	return from, to
}

// worth returns what a byte costs that stays beside a pack for a version, in bytes written once. times are when the version and those above
// it were made: the last of an hour and of a day stay longer than others. The numbers are those of which islands took least
// (cairn-bench week).
func worth(times []time.Time) float64 {
	if times[0].IsZero() {
		return 0
	}
	for _, next := range times[1:] {
		if next.IsZero() {
			continue
		}
		switch a, b := times[0].UTC(), next.UTC(); {
		case a.Year() != b.Year() || a.YearDay() != b.YearDay():
			return 12
		case a.Hour() != b.Hour():
			return 4
		}
		break
	}
	return 3
}
