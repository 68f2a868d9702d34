package terms

import (
	"iter"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// Term is a row of the table of terms.
type Term struct {
	Kind Kind
	Name string

	keys func() reflect.Value           // a pointer to an [all] with the defaults
	bind func(b *Binder, p *Parsed) any // one of the types below
	docs string                         // name of the Go function whose comment describes it; else that of the row does

	check func(c *bounds.Check, parameters any) // checks them after their tags; nil: see [checker]
	lasts bool                                  // an event that does more than change the state in which an episode begins
	array string                                // the array of the model that an event changes; "" if none
	axes  string                                // text of the page for a parameter axes; see [field]
}

// What terms of the kinds are bound to. They are called for one world at a time and on many goroutines.
type (
	// RewardFunc returns the value of a reward, to be weighted, for the control step that ends now.
	RewardFunc func(v *View) float64

	// TerminationFunc reports whether the episode ends with this control step; nil for a time_out.
	TerminationFunc func(v *View) bool

	// EventFunc changes the world's state, parameters or memory. r is the event's stream.
	EventFunc func(v *View, r *rand.Rand)

	// CurriculumFunc is not called: a curriculum term changes what it names while it is bound, see [Staged].
	CurriculumFunc struct{}
)

// term makes a row. The type that bind returns says of which kind the term is; defaults are those of its parameters.
func term[P, R any](name string, bind func(*Binder, *P) R, defaults P) Term {
	t := Term{
		Name: name, docs: functionName(bind),
		bind: func(b *Binder, p *Parsed) any { return bind(b, p.Parameters.(*P)) },
	}
	switch any(*new(R)).(type) {
	case *Action:
		t.Kind, t.keys = Actions, keysFunc(ActionKeys{Scale: 1, Clip: Range{-1, 1}}, defaults)
	case *Observation:
		t.Kind, t.keys = Observations, keysFunc(ObservationKeys{}, defaults)
	case RewardFunc:
		t.Kind, t.keys = Rewards, keysFunc(RewardKeys{}, defaults)
	case TerminationFunc:
		t.Kind, t.keys = Terminations, keysFunc(TerminationKeys{}, defaults)
	case *Command:
		t.Kind, t.keys = Commands, keysFunc(CommandKeys{Resampling: defaultResampling}, defaults)
	case EventFunc:
		t.Kind, t.keys = Events, keysFunc(EventKeys{Mode: Reset}, defaults)
	case CurriculumFunc:
		t.Kind, t.keys = Curriculum, keysFunc(NoKeys{}, defaults)
	}
	return t
}

// markLasting makes a row of an event that does more than change the state in which an episode begins.
func markLasting(t Term) Term {
	t.lasts = true
	return t
}

// functionName returns the name of a function of this package.
func functionName(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}

// table holds all terms, in the order of the page. It is only read.
var table = slices.Concat(actionTerms, observationTerms, rewardTerms, terminationTerms, commandTerms, eventTerms, fields,
	curriculumTerms)

// expressions are the rows of entries with "expr" in place of a term.
var expressions = []Term{
	term("expr", observationExpression, struct{}{}),
	term("expr", rewardExpression, struct{}{}),
	term("expr", terminationExpression, struct{}{}),
	{Kind: Infos, Name: "expr", keys: keysFunc(NoKeys{}, struct{}{}),
		bind: func(b *Binder, _ *Parsed) any { return rewardExpression(b, nil) }},
}

// All yields the terms of a kind by name, and "expr" where an expression may stand, each
// with a pointer to an entry that holds the defaults: a struct with yaml tags.
func All(kind Kind) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		for _, t := range slices.Concat(table, expressions) {
			if t.Kind == kind && !yield(t.Name, t.keys()) {
				return
			}
		}
	}
}
