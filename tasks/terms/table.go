package terms

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
)

// Term is a row of the table of terms.
type Term struct {
	Kind Kind
	Name string

	keys func() reflect.Value           // a pointer to an [all] with the defaults
	bind func(b *Binder, p *Parsed) any // one of the types below
	docs string                         // name of the Go function whose comment describes it
}

// What terms of the kinds are bound to. They are called for one world at a time and on
// many goroutines.
type (
	// RewardFunc returns the value of a reward, to be weighted, for the control step that
	// ends now.
	RewardFunc func(v *View) float64

	// TerminationFunc reports whether the episode ends with this control step.
	TerminationFunc func(v *View) bool

	// EventFunc changes the world's state, parameters or memory. r is the event's stream.
	EventFunc func(v *View, r *rand.Rand)

	// CurriculumFunc is not called: a curriculum term changes what it names while it is
	// bound, see [Staged].
	CurriculumFunc struct{}
)

// The constructors of rows. The last argument holds the defaults of the parameters.

func action[P any](name string, bind func(*Binder, *ActionKeys, *P) *Action, defaults P) Term {
	t := row(Actions, name, func(*Binder, *P) *Action { return nil }, ActionKeys{Scale: 1, Clip: Range{-1, 1}}, defaults)
	t.docs = functionName(bind)
	t.bind = func(b *Binder, p *Parsed) any { return bind(b, p.Common.(*ActionKeys), p.Parameters.(*P)) }
	return t
}

func observation[P any](name string, bind func(*Binder, *P) *Observation, defaults P) Term {
	return row(Observations, name, bind, ObservationKeys{}, defaults)
}

func reward[P any](name string, bind func(*Binder, *P) RewardFunc, defaults P) Term {
	return row(Rewards, name, bind, RewardKeys{}, defaults)
}

func termination[P any](name string, bind func(*Binder, *P) TerminationFunc, defaults P) Term {
	return row(Terminations, name, bind, TerminationKeys{}, defaults)
}

func command[P any](name string, bind func(*Binder, *P) *Command, defaults P) Term {
	return row(Commands, name, bind, CommandKeys{Resampling: defaultResampling}, defaults)
}

func event[P any](name string, bind func(*Binder, *P) EventFunc, defaults P) Term {
	return row(Events, name, bind, EventKeys{Mode: Reset}, defaults)
}

func curriculum[P any](name string, bind func(*Binder, *P) CurriculumFunc, defaults P) Term {
	return row(Curriculum, name, bind, NoKeys{}, defaults)
}

func row[C, P, R any](kind Kind, name string, bind func(*Binder, *P) R, common C, defaults P) Term {
	return Term{
		Kind: kind,
		Name: name,
		keys: keysOf(common, defaults),
		bind: func(b *Binder, p *Parsed) any { return bind(b, p.Parameters.(*P)) },
		docs: functionName(bind),
	}
}

// functionName returns the name of a function of this package.
func functionName(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}

// table holds all terms, in the order of the page. Each kind's rows stand beside its
// functions. It is set once, before main, and then only read.
var table = func() (all []Term) {
	for _, kind := range [][]Term{actionTerms(), observationTerms(), rewardTerms(), terminationTerms(), commandTerms(), eventTerms(), curriculumTerms()} {
		all = append(all, kind...)
	}
	return all
}()

// expressions are the rows of entries with "expr" in place of a term.
var expressions = []Term{
	observation("expr", observationExpression, struct{}{}),
	reward("expr", rewardExpression, struct{}{}),
	termination("expr", terminationExpression, struct{}{}),
}
