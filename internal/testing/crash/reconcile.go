package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
)

const allNames = 1 << 20

// reconcile compares a store with the model. It determines which calls in progress
// had their effect, and updates the model. Its error says what was lost.
func reconcile(ctx context.Context, st history.Store, m *model) error {
	names, err := st.List(ctx, "", "", len(m.Worlds)+len(m.Pending)+1) // and some of the crowd
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, isCrowd)
	for _, worker := range slices.Sorted(maps.Keys(m.Pending)) {
		if err := reconcileOne(ctx, st, m, names, worker); err != nil {
			return err
		}
	}
	if want := slices.Sorted(maps.Keys(m.Worlds)); !slices.Equal(names, want) {
		return fmt.Errorf("there are the worlds %q: want %q", names, want)
	}
	for _, name := range names {
		log, err := compare(ctx, st, name, m.Worlds[name], m.Holds[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.Worlds[name] = log
	}
	return nil
}

// checkAll verifies everything in a store.
func checkAll(ctx context.Context, st *local.Store) error {
	report, err := st.Check(ctx, nil)
	if err == nil && len(report.Faults) > 0 {
		err = fmt.Errorf("check: %q", report.Faults)
	}
	return err
}

// reconcileOne ends a worker's call in progress, as found in the store.
func reconcileOne(ctx context.Context, st history.Store, m *model, names []string, worker int) error {
	o := m.Pending[worker]
	delete(m.Pending, worker)
	var out outcome
	done := false
	switch o.Kind {
	case create, undelete:
		done = slices.Contains(names, o.World)
	case fork, rename:
		done = slices.Contains(names, o.To)
	case remove, purge:
		done = !slices.Contains(names, o.World)
	case save, saveFile, restore:
		var err error
		if out.ID, err = committed(ctx, st, m.Worlds[o.World], o); err != nil {
			return fmt.Errorf("%s: %w", o.World, err)
		}
		done = out.ID != history.ID{}
	case lease, release:
		head, err := st.Head(ctx, o.World)
		if err != nil {
			return err
		}
		done = head.Fence != m.Holds[o.World].Fence
	}
	if !done {
		return nil
	}
	err := out.look(ctx, st, o)
	m.apply(o, out)
	return err
}

// look reads the fence after a call.
func (out *outcome) look(ctx context.Context, st history.Store, o op) error {
	name, ok := o.raises()
	if !ok {
		return nil
	}
	h, err := st.Head(ctx, name)
	out.Fence = h.Fence
	return err
}

// committed returns the commit that o made on log, or zero if it made none.
func committed(ctx context.Context, st history.Store, log []version, o op) (history.ID, error) {
	head, err := st.Head(ctx, o.World)
	if err != nil || head.Commit == headOf(log) {
		return history.ID{}, err
	}
	found, err := st.Log(ctx, o.World, history.ID{}, 1)
	if err != nil {
		return history.ID{}, err
	}
	if len(found) == 0 || found[0].Parent != headOf(log) || found[0].Message != o.message() {
		return history.ID{}, fmt.Errorf("the head is %v: want %v or %q on it", head.Commit, headOf(log), o.message())
	}
	return head.Commit, nil
}

func (o op) message() string { return fmt.Sprintf("%s %d", o.Kind, o.Seq) }

func headOf(log []version) history.ID {
	if len(log) == 0 {
		return history.ID{}
	}
	return log[len(log)-1].ID
}

// compare compares a world with its expected versions. It returns those that exist.
func compare(ctx context.Context, st history.Store, name string, want []version, h hold) ([]version, error) {
	head, err := st.Head(ctx, name)
	if err != nil {
		return nil, err
	}
	if (head != history.Head{Commit: headOf(want), Fence: h.Fence}) {
		return nil, fmt.Errorf("the head is %v: want %v under %d", head, headOf(want), h.Fence)
	}
	held, err := st.Leased(ctx, name)
	if err != nil || held.Fence != h.under() {
		return nil, errors.Join(err, fmt.Errorf("the lease is %v: want %v", held, h))
	}
	log, err := st.Log(ctx, name, history.ID{}, allNames)
	if err != nil {
		return nil, err
	}
	slices.Reverse(log) // oldest first
	var have []version
	for _, v := range want {
		if len(log) == 0 || log[0].ID() != v.ID {
			if !v.Loose {
				return nil, fmt.Errorf("commit %v is not in the log", v.ID)
			}
			continue
		}
		log = log[1:]
		if err := checkVersion(ctx, st, name, v); err != nil {
			return nil, fmt.Errorf("commit %v: %w", v.ID, err)
		}
		have = append(have, v)
	}
	if len(log) > 0 {
		return nil, fmt.Errorf("commit %v is in the log", log[0].ID())
	}
	return have, nil
}

// dig undeletes every deleted world and compares it.
func dig(ctx context.Context, st history.Store, m *model) error {
	for _, name := range slices.Sorted(maps.Keys(m.Graves)) {
		g := m.Graves[name]
		err := st.Undelete(ctx, name)
		if g.Loose && errors.Is(err, history.ErrNoWorld) {
			continue
		}
		if err == nil {
			var head history.Head // whose fence may be higher: names share records of the highest
			if head, err = st.Head(ctx, name); err == nil {
				_, err = compare(ctx, st, name, g.Log, hold{Fence: max(g.Fence, head.Fence)})
			}
		}
		if err != nil {
			return fmt.Errorf("%s, which was deleted: %w", name, err)
		}
	}
	return nil
}
