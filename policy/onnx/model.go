package onnx

import (
	"errors"
	"fmt"
	"slices"
)

// Ports names what a network is given and what it gives. What is left empty is found: the observation is the first
// input, the action the first output, and each other input is a state, which the first of the other outputs with the
// same dimensions carries on.
type Ports struct {
	Observation string
	Action      string
	States      [][2]string // the input and the output of each state; nil: found
}

// Model is what a [Graph] computes: an action from an observation and, of a recurrent network, a state. Goroutines may
// use it at once, each with a [Scratch] of its own.
type Model struct {
	values      []array
	steps       []step
	observation int   // value
	action      int   // value
	states      []int // values that are given, and
	next        []int // those that are carried on
	size        int   // values of the states together
}

// array is a tensor of a network. Values that are the same numbers in other shapes have one slot.
type array struct {
	tensor
	name string
	slot int
}

// step is an operation of each act. Its run reads src and writes dst; both have a slice for each input and output of
// the node, nil for one that is left out.
type step struct {
	run      func(dst, src [][]float64)
	src, dst []int   // values; -1: none
	element  []int64 // of dst
}

const (
	maxActed = 1 << 23 // numbers that a scratch holds, and those in the tables of the steps
	maxWork  = 1 << 28 // products, or as long as these take, of one act, and of what is computed from constants
)

// Model makes what a file computes ready to act, for one row at a time: a dynamic dimension is 1, and so is the batch. All
// shapes are inferred and checked here, and what depends on constants alone is computed. Nodes that neither the action
// nor a state needs are left out. It fails if another node has an operator that is not known here, or uses one in a way
// that is not, or if the network would take more memory or time than a bound.
func (f *Graph) Model(ports Ports) (*Model, error) {
	c := &compiler{file: f, model: &Model{}, names: map[string]int{}, numbers: f.values}
	if err := c.compile(ports); err != nil {
		return nil, err
	}
	return c.model, nil
}

// Observation is the number of observed values.
func (n *Model) Observation() int { return n.values[n.observation].size() }

// Action is the number of values that the network gives as the action.
func (n *Model) Action() int { return n.values[n.action].size() }

// Chooses reports whether the action is a whole number, the index of a choice.
func (n *Model) Chooses() bool { return !isFloat(n.values[n.action].element) }

// State is the number of values that the network carries from one control step to the next, zeros at the beginning of an
// episode; 0: it carries none.
func (n *Model) State() int { return n.size }

// Scratch is the working memory of a [Model] for one goroutine.
type Scratch struct {
	slots    [][]float64 // by slot
	src, dst [][][]float64
}

// NewScratch allocates working memory.
func (n *Model) NewScratch() *Scratch {
	s := &Scratch{slots: make([][]float64, len(n.values)), src: make([][][]float64, len(n.steps)),
		dst: make([][][]float64, len(n.steps))}
	for i, v := range n.values {
		switch {
		case v.slot != i:
		case v.v != nil:
			s.slots[i] = v.v
		default:
			s.slots[i] = make([]float64, v.size())
		}
	}
	of := func(list []int) [][]float64 {
		slices := make([][]float64, len(list))
		for i, v := range list {
			if v >= 0 {
				slices[i] = s.slots[n.values[v].slot]
			}
		}
		return slices
	}
	for i, step := range n.steps {
		s.src[i], s.dst[i] = of(step.src), of(step.dst)
	}
	return s
}

// Act writes the action of each row to dst, rows × Action(), from observations, rows × Observation(), and carries
// states, rows × State(), on. A choice is a whole number from 0. A row's bits do not depend on the other rows. Act
// allocates nothing. It fails, and writes nothing, if a length is wrong.
func (n *Model) Act(dst, observations, states []float32, s *Scratch) error {
	rows := len(dst) / n.Action()
	if len(dst) != rows*n.Action() || len(observations) != rows*n.Observation() || len(states) != rows*n.State() {
		return fmt.Errorf("%d observed, %d action and %d state values, want %d, %d and %d for each of %d rows",
			len(observations), len(dst), len(states), n.Observation(), n.Action(), n.State(), rows)
	}
	for row := range rows {
		n.act(dst[row*n.Action():][:n.Action()], observations[row*n.Observation():][:n.Observation()],
			states[row*n.size:][:n.size], s)
	}
	return nil
}

func (n *Model) act(dst, observation, state []float32, s *Scratch) {
	give := func(value int, from []float32) {
		for i, v := range from {
			s.slots[value][i] = float64(v)
		}
	}
	give(n.observation, observation)
	for at, i := 0, 0; i < len(n.states); i++ {
		size := n.values[n.states[i]].size()
		give(n.states[i], state[at:at+size])
		at += size
	}
	for i := range n.steps {
		step := &n.steps[i]
		step.run(s.dst[i], s.src[i])
		for k, element := range step.element {
			fit(element, s.dst[i][k])
		}
	}
	for i, v := range s.slots[n.values[n.action].slot] {
		dst[i] = float32(v)
	}
	at := 0
	for _, next := range n.next {
		for _, v := range s.slots[n.values[next].slot] {
			state[at] = float32(v)
			at++
		}
	}
}

// compiler makes a network.
type compiler struct {
	file    *Graph
	model   *Model
	names   map[string]int // value, by its name
	numbers int            // in constants
	acted   int            // in what is computed in each act, and in tables of indices
	work    int64
}

func (c *compiler) compile(ports Ports) error {
	for name, t := range c.file.constants {
		if name != "" {
			c.add(name, *t)
		}
	}
	inputs := slices.DeleteFunc(slices.Clone(c.file.inputs), func(p port) bool { return c.file.constants[p.name] != nil })
	chosen, err := c.choose(ports, inputs)
	if err != nil {
		return err
	}
	needed, err := c.needed(chosen)
	if err != nil {
		return err
	}
	for i := range c.file.nodes {
		if !needed[i] {
			continue
		}
		if err := c.node(&c.file.nodes[i]); err != nil {
			n := &c.file.nodes[i]
			return fmt.Errorf("node %s, %s: %w", quote(n.title()), quote(n.operator), err)
		}
	}
	return c.connect(chosen)
}

// chosen are the ports of a network, by their names.
type chosen struct {
	observation, action string
	states              [][2]string
}

// choose finds the ports, and adds the inputs as values.
func (c *compiler) choose(ports Ports, inputs []port) (chosen, error) {
	outputs := c.file.outputs
	if len(inputs) == 0 || len(outputs) == 0 {
		return chosen{}, fmt.Errorf("it has %d inputs and %d outputs, want at least one of each", len(inputs), len(outputs))
	}
	find := func(list []port, name, kind string) (port, error) {
		if name == "" {
			return list[0], nil
		}
		i := slices.IndexFunc(list, func(p port) bool { return p.name == name })
		if i < 0 {
			return port{}, fmt.Errorf("it has no %s %s, but %s", kind, quote(name), portNames(list))
		}
		return list[i], nil
	}
	observation, err := find(inputs, ports.Observation, "input")
	if err != nil {
		return chosen{}, err
	}
	action, err := find(outputs, ports.Action, "output")
	if err != nil {
		return chosen{}, err
	}
	all := chosen{observation.name, action.name, slices.Clone(ports.States)}
	for _, pair := range ports.States {
		for k, list := range [][]port{inputs, outputs} {
			if _, err := find(list, pair[k], []string{"input", "output"}[k]); err != nil {
				return all, err
			}
		}
	}
	taken := []string{action.name}
	for _, p := range inputs {
		if _, known := c.names[p.name]; known || p.name == "" {
			return all, fmt.Errorf("two inputs or tensors have the name %s", quote(p.name))
		}
		if err := c.input(p, p.name == observation.name); err != nil {
			return all, err
		}
		if p.name == observation.name || ports.States != nil {
			continue
		}
		i := slices.IndexFunc(outputs, func(o port) bool {
			return !slices.Contains(taken, o.name) && (!o.shaped || slices.Equal(rowOf(o.dims), rowOf(p.dims)))
		})
		if i < 0 {
			return all, fmt.Errorf("no output carries its input %s on: it reads %s and gives %s, want an observation and "+
				"states", quote(p.name), portNames(inputs), portNames(outputs))
		}
		taken = append(taken, outputs[i].name)
		all.states = append(all.states, [2]string{p.name, outputs[i].name})
	}
	for _, p := range inputs {
		state := slices.ContainsFunc(all.states, func(pair [2]string) bool { return pair[0] == p.name })
		if state == (p.name == observation.name) {
			return all, fmt.Errorf("its input %s is both the observation and a state, or neither, want one", quote(p.name))
		}
	}
	return all, nil
}

func portNames(list []port) string {
	text := ""
	for i, p := range list {
		if i == 12 {
			return text + ", …"
		}
		if i > 0 {
			text += ", "
		}
		text += quote(p.name)
	}
	return text
}

// rowOf returns the dimensions of a port for one row.
func rowOf(dims []int64) (row []int) {
	for _, d := range dims {
		row = append(row, int(min(max(1, d), maxValues+1)))
	}
	return row
}

// input adds the value of an input.
func (c *compiler) input(p port, observed bool) error {
	dims := rowOf(p.dims)
	switch {
	case !isFloat(p.element):
		return fmt.Errorf("its input %s is %s, want float32", quote(p.name), elementName(p.element))
	case !p.shaped:
		return fmt.Errorf("its input %s has no shape, want batch × values", quote(p.name))
	case observed && len(dims) > 1 && dims[0] != 1:
		return fmt.Errorf("its input %s has the dimensions %v, want a first one that is dynamic or 1, the batch", quote(p.name),
			p.dims)
	case observed && (len(dims) == 0 || slices.Contains(p.dims[min(1, len(dims)-1):], 0)):
		return fmt.Errorf("its input %s has the dimensions %v (0: dynamic), want batch × a number of values", quote(p.name),
			p.dims)
	}
	if err := checkDims(dims); err != nil {
		return fmt.Errorf("input %s: %w", quote(p.name), err)
	}
	_, err := c.computed(p.name, p.element, dims)
	return err
}

// add adds a value.
func (c *compiler) add(name string, t tensor) int {
	n := c.model
	n.values = append(n.values, array{tensor: t, name: name, slot: len(n.values)})
	if name != "" {
		c.names[name] = len(n.values) - 1
	}
	return len(n.values) - 1
}

// computed adds a value that is known only in each act.
func (c *compiler) computed(name string, element int64, dims []int) (int, error) {
	t := tensor{element: element, dims: slices.Clone(dims)}
	return c.add(name, t), c.take(t.size())
}

// take counts numbers that are held while the network acts.
func (c *compiler) take(n int) error {
	if c.acted += n; c.acted > maxActed {
		return fmt.Errorf("it computes more than %d numbers in each step, want at most so many", maxActed)
	}
	return nil
}

var errName = errors.New("want each name once")

// needed reports which nodes the ports need.
func (c *compiler) needed(all chosen) ([]bool, error) {
	makes, needed := map[string]int{}, make([]bool, len(c.file.nodes))
	for i := range c.file.nodes {
		for _, name := range c.file.nodes[i].outputs {
			if name == "" {
				continue
			}
			if _, known := makes[name]; known {
				return nil, fmt.Errorf("two nodes compute %s: %w", quote(name), errName)
			}
			if _, known := c.names[name]; known {
				return nil, fmt.Errorf("a node computes %s, which is an input or a tensor: %w", quote(name), errName)
			}
			makes[name] = i
		}
	}
	wanted := []string{all.action}
	for _, pair := range all.states {
		wanted = append(wanted, pair[1])
	}
	for len(wanted) > 0 {
		i, made := makes[wanted[len(wanted)-1]]
		if wanted = wanted[:len(wanted)-1]; made && !needed[i] {
			needed[i] = true
			wanted = append(wanted, c.file.nodes[i].inputs...)
		}
	}
	return needed, nil
}

// connect finishes the network, when all its values are there.
func (c *compiler) connect(all chosen) error {
	n := c.model
	n.observation = c.names[all.observation]
	var made bool
	if n.action, made = c.names[all.action]; !made {
		return fmt.Errorf("no node computes its output %s", quote(all.action))
	}
	if n.Action() == 0 {
		return fmt.Errorf("its output %s has the dimensions %v, want at least one value", quote(all.action),
			n.values[n.action].dims)
	}
	for _, pair := range all.states {
		from := c.names[pair[0]]
		to, made := c.names[pair[1]]
		if !made {
			return fmt.Errorf("no node computes its output %s", quote(pair[1]))
		}
		a, b := &n.values[from], &n.values[to]
		if !slices.Equal(a.dims, b.dims) || !isFloat(b.element) {
			return fmt.Errorf("its state is read from %s, %v, and carried on by %s, %v of %s, want the same dimensions of "+
				"float32", quote(pair[0]), a.dims, quote(pair[1]), b.dims, elementName(b.element))
		}
		n.states, n.next, n.size = append(n.states, from), append(n.next, to), n.size+a.size()
	}
	// Constants that no step reads are let go.
	read := make([]bool, len(n.values))
	for _, s := range n.steps {
		for _, v := range s.src {
			if v >= 0 {
				read[n.values[v].slot] = true
			}
		}
	}
	for _, v := range append([]int{n.action}, n.next...) {
		read[n.values[v].slot] = true
	}
	for i := range n.values {
		if v := &n.values[i]; v.v != nil && v.slot == i && !read[i] {
			v.v, v.dims = nil, []int{0}
		}
	}
	return nil
}
