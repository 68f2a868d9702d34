package terms

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
)

// Staged is a value that a curriculum changes at given control steps of the run.
type Staged[T any] struct {
	first  T
	stages []stage[T] // stages by rising step
}

type stage[T any] struct {
	step  int64
	value T
}

// Current returns the value in control step n of the run, see [View.RunStep].
func (s *Staged[T]) Current(n int64) T {
	value := s.first
	for _, next := range s.stages {
		if next.step <= n {
			value = next.value
		}
	}
	return value
}

// change sets the stages. Only one curriculum term may do so; name is that of what it changes.
func (s *Staged[T]) change(b *Binder, key, name string, stages []stage[T]) CurriculumFunc {
	if len(s.stages) > 0 {
		b.Fail(key, "is %s, which another curriculum term changes already", name)
	}
	s.stages = stages
	return CurriculumFunc{}
}

// BindStaged binds an entry of rewards, terminations or events, and what curriculum terms make of it.
func BindStaged[F any](b *Binder, p *Parsed, phase Phase) *Staged[F] {
	s := &Staged[F]{first: b.Bind(p, phase).(F)}
	for _, later := range b.later[string(p.Kind)+"/"+p.Head.Name] {
		s.stages = append(s.stages, stage[F]{later.step, b.Bind(&later.value, phase).(F)})
	}
	return s
}

// changer is implemented by the parameters of curriculum terms that change those of another entry.
type changer interface {
	changes() (kind Kind, name string, stages []paramsStage)
}

type paramsStage struct {
	// Step is the control step of the run, of each world, from which the stage holds.
	Step int64 `yaml:"step"`
	// Params are parameters of the term, each with its value; the others stay as they are.
	Params map[string]any `yaml:"params"`
}

// Prepare notes what curriculum terms make of entries of other sections, and how many entries draw the same numbers. It
// comes before these are bound.
func (b *Binder) Prepare(sections map[Kind][]Parsed) {
	b.eventCount = map[string]int{}
	for _, p := range sections[Events] {
		b.eventCount[drawsOf(p.Head.Term)]++
	}
	for i := range sections[Curriculum] {
		b.entry = &sections[Curriculum][i]
		change, ok := b.entry.Parameters.(changer)
		if !ok {
			continue
		}
		kind, name, stages := change.changes()
		index := slices.IndexFunc(sections[kind], func(p Parsed) bool { return p.Head.Name == name })
		if index < 0 {
			var known []string
			for _, p := range sections[kind] {
				known = append(known, p.Head.Name)
			}
			b.Fail(kind.singular(), ": %s", noEntry(kind.singular(), name, known))
			return
		}
		target := &sections[kind][index]
		id := string(kind) + "/" + name
		if b.later[id] != nil {
			b.Fail(kind.singular(), "is %s, which another curriculum term changes already", name)
		}
		entry := maps.Clone(target.entry)
		for n, s := range stages {
			key := fmt.Sprintf("stages[%d].params", n)
			for parameter := range s.Params {
				if reflect.ValueOf(target.Parameters).Elem().Kind() != reflect.Struct || !hasKey(target, parameter) {
					b.Fail(key, ": %s is no parameter of the term of %s %s", parameter, kind.singular(), name)
				}
			}
			maps.Copy(entry, s.Params)
			later, err := parse(kind, decode.Join(b.entry.Key, key), entry)
			if err != nil && b.err == nil {
				b.err = err // which begins with the key
			}
			later.Head.Name = name // its random stream
			b.later[id] = append(b.later[id], stage[Parsed]{s.Step, later})
		}
	}
}

// hasKey reports whether the term of an entry has a parameter.
func hasKey(p *Parsed, name string) bool {
	if p.Parameters == nil {
		return false
	}
	return slices.ContainsFunc(decode.Fields(reflect.TypeOf(p.Parameters).Elem()), func(f decode.Field) bool {
		return f.Key == name
	})
}
