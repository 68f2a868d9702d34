package env

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Worlds that one goroutine steps are closed by another, as on a signal: the dataset is
// whole, and the next step returns an error.
func TestCloseWhileStepping(t *testing.T) {
	t.Parallel()
	c := preset(t, "quadruped", "worlds=8", "workers=2")
	folder := t.TempDir()
	e := open(t, c, OpenOptions{Dataset: folder})
	var closing sync.WaitGroup
	for range 2 {
		closing.Add(1)
		go func() {
			defer closing.Done()
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			if _, err := recorder.Open(folder); err != nil { // also after the Close that came second
				t.Errorf("the dataset is not whole after Close: %v", err)
			}
		}()
	}
	for {
		if err := e.Step(); err != nil {
			polytest.ErrorIs(t, err, sim.ErrClosed)
			break
		}
	}
	closing.Wait()
}

// Goroutines that step the same worlds at once get an error, and the worlds go on.
func TestStepFromManyGoroutines(t *testing.T) {
	t.Parallel()
	e := mustMake(t, "Hopper-v5", Options{Worlds: 4, Workers: 1})
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 200 {
				if err := e.Step(); err != nil && !errors.Is(err, sim.ErrBusy) {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
	if err := e.Step(); err != nil {
		t.Errorf("a step after the others: %v", err)
	}
}

// unending is a task that cannot end an episode.
type unending struct{ sim.Task }

func (unending) Ended(*sim.World) { panic("mine") }

// After a step that has failed no call steps the worlds any more.
func TestNothingStepsAfterAnError(t *testing.T) {
	register(t, Task{
		Name: "Unending-v0", Model: "spinner.xml", Files: fstest.MapFS{"spinner.xml": {Data: []byte(spinnerXML)}},
		Control: "40", Substeps: 4, New: func(s Setup) (sim.Task, error) {
			task, err := newSpinner(s)
			return unending{task}, err
		},
	})
	e := mustMake(t, "Unending-v0", Options{})
	walk(t, e, 9)
	polytest.ErrorContains(t, e.Step(), "panic: mine")
	polytest.ErrorContains(t, e.Err(), "panic: mine")
	called := false
	each := func() error {
		return e.Each(func(*sim.Worker, *sim.Block) error {
			called = true
			return nil
		})
	}
	for name, f := range map[string]func() error{"Step": e.Step, "Reset": e.Reset, "Each": each} {
		err := f()
		if err == nil || !strings.Contains(err.Error(), "the env cannot go on after an error") {
			t.Errorf("%s says %v", name, err)
		}
	}
	if called {
		t.Error("Each calls its function after an error")
	}
}

// A callback that panics in Each outside a world leaves a dataset that can be closed.
func TestPanicInEach(t *testing.T) {
	t.Parallel()
	e := open(t, preset(t, "quadruped", "worlds=4"), OpenOptions{Dataset: t.TempDir(), Workers: 1})
	err := e.Each(func(w *sim.Worker, b *sim.Block) error {
		if b.Index() == 0 {
			panic("mine")
		}
		return b.Step(w)
	})
	polytest.ErrorContains(t, err, "panic: mine")
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// misfit is a task whose methods do not keep to the contract.
type misfit struct {
	sim.Task
	spec func(sim.Spec) sim.Spec
}

func (m misfit) Spec() sim.Spec { return m.spec(m.Task.Spec()) }

// A task that cannot be used is refused by its name, and its model is freed.
func TestUnusableTasks(t *testing.T) {
	var make func(s Setup) (sim.Task, error)
	register(t, Task{
		Name: "Misfit-v0", Model: "spinner.xml", Files: fstest.MapFS{"spinner.xml": {Data: []byte(spinnerXML)}},
		Control: "40", Substeps: 4, New: func(s Setup) (sim.Task, error) { return make(s) },
	})
	changed := func(spec func(sim.Spec) sim.Spec) func(Setup) (sim.Task, error) {
		return func(s Setup) (sim.Task, error) {
			task, err := newSpinner(s)
			return misfit{task, spec}, err
		}
	}
	models := mujoco.OpenHandles()
	for want, new := range map[string]func(Setup) (sim.Task, error){
		"task Misfit-v0: New or Spec panicked: no arm": func(Setup) (sim.Task, error) { panic("no arm") },
		"task Misfit-v0: New or Spec panicked: no leg": changed(func(sim.Spec) sim.Spec { panic("no leg") }),
		"task Misfit-v0: New returned no task":         func(Setup) (sim.Task, error) { return nil, nil },
		`task Misfit-v0: the name in its Spec is "Fit-v0", want "Misfit-v0"`: changed(func(s sim.Spec) sim.Spec {
			s.Name = "Fit-v0"
			return s
		}),
	} {
		make = new
		polytest.ErrorContains(t, polytest.Err(Make("Misfit-v0", Options{})), want)
		if n := mujoco.OpenHandles(); n != models {
			t.Errorf("%s: %d models are open, want %d", want, n, models)
		}
	}
}

// Whatever is nil or zero, a method or function says so in an error or a panic of its own.
func TestNil(t *testing.T) {
	said := func(call func() []reflect.Value) (text string) {
		defer func() {
			if p := recover(); p != nil {
				text = fmt.Sprint(p)
			}
		}()
		for _, v := range call() {
			if err, ok := v.Interface().(error); ok {
				text += err.Error()
			}
		}
		return text
	}
	zero := func(f reflect.Value) func() []reflect.Value {
		return func() []reflect.Value {
			var in []reflect.Value
			for i := range f.Type().NumIn() {
				in = append(in, reflect.Zero(f.Type().In(i)))
			}
			if f.Type().IsVariadic() {
				in = in[:len(in)-1]
			}
			return f.Call(in)
		}
	}
	whole := mustMake(t, "Hopper-v5", Options{})
	for _, of := range []any{(*Env)(nil), &Env{}, whole} {
		v := reflect.ValueOf(of)
		for i := range v.NumMethod() {
			name := fmt.Sprintf("%T.%s", of, v.Type().Method(i).Name)
			got := said(zero(v.Method(i)))
			if of != any(whole) && got != errUnmade.Error() {
				t.Errorf("nil or zero, %s says %q, want %q", name, got, errUnmade)
			}
			if strings.Contains(got, "nil pointer") {
				t.Errorf("%s of nil arguments says %q", name, got)
			}
		}
	}
	for name, f := range map[string]any{"Open": Open, "NewPlan": NewPlan, "OpenModel": OpenModel,
		"Captures": Captures, "LogHeader": LogHeader, "RecorderOptions": RecorderOptions} {
		if got := said(zero(reflect.ValueOf(f))); !strings.Contains(got, "no configuration given") {
			t.Errorf("%s of nil says %q", name, got)
		}
	}
}

// Poses are asked for where none can be read.
func TestPoseOfWorldsWithoutPoses(t *testing.T) {
	e := mustMake(t, "Hopper-v5", Options{})
	defer func() {
		if p, ok := recover().(string); !ok || !strings.Contains(p, "Pose of worlds without readable poses") {
			t.Errorf("panic %v, want one that names Pose", p)
		}
	}()
	e.Sim().At(0, func(w *sim.World) { e.Pose(w, nil) })
}
