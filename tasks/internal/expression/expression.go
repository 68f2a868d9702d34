package expression

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// Bounds on a formula. They keep the time to compile one and the depth of the parser's
// recursion small, whatever the text.
const (
	maxBytes = 4096    // bytes of a source
	maxDepth = 64      // depth of brackets and of operators within operators
	maxNodes = 1000    // quantities, numbers, operators and calls
	maxSize  = 1 << 16 // values of scratch
)

// Quantity describes one named quantity that a formula may use.
type Quantity struct {
	Name string // may have dots: "command.velocity"
	Size int    // 0: a number; n ≥ 1: a vector of n values
	Bool bool   // whether its values are truth values, 0 or 1
}

// Scope lists the quantities. Quantity i of a [Frame] is entry i.
type Scope []Quantity

// Frame gives the values of quantities at one instant.
type Frame interface {
	// Quantity returns the values of entry i of the scope: one for a number, Size for a vector. They must stay as
	// they are until the call to the program returns, which does not change them.
	Quantity(i int) []float64
}

// Program is a compiled formula. It is immutable, so any number of goroutines may use it.
type Program struct {
	Size    int   // size of the result; 0: a number
	Bool    bool  // the result is a truth value or a vector of them
	Scratch int   // how many values of scratch a call needs
	Uses    []int // the entries of the scope that the formula contains, in order, each once

	node node
}

// Error says what is wrong with a formula, and where.
type Error struct {
	Line, Column int // place in the source, from 1 on; columns count characters
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Compile checks a formula and compiles it. The error is an [*Error]. It takes at most a
// few milliseconds whatever the source.
func Compile(source string, scope Scope) (*Program, error) {
	if err := checkText(source); err != nil {
		return nil, err
	}
	tree, err := parse(source)
	if err != nil {
		return nil, err
	}
	c := &compiler{source: source, scope: scope, used: make([]bool, len(scope))}
	n := c.compile(tree, 1)
	if c.err != nil {
		return nil, c.err
	}
	p := &Program{Size: n.size, Bool: n.bool, Scratch: c.scratch, node: n}
	for i, used := range c.used {
		if used {
			p.Uses = append(p.Uses, i)
		}
	}
	return p, nil
}

// String names the type and shape of the value.
func (p *Program) String() string { return p.node.String() }

// Float returns the value of a formula whose Size is 0; 0 or 1 if it is a truth value.
// The scratch has at least p.Scratch values, whatever they are, and is the caller's.
func (p *Program) Float(f Frame, scratch []float64) float64 {
	return p.node.number(f, scratch)
}

// Vector writes the Size values of the formula to dst, or the one value of a formula
// whose Size is 0. The scratch is as for [Program.Float] and must not overlap dst.
func (p *Program) Vector(dst []float64, f Frame, scratch []float64) {
	if p.Size == 0 {
		dst[0] = p.node.number(f, scratch)
	} else {
		copy(dst, p.node.values(f, scratch))
	}
}

// checkText refuses a text that is too long or nests brackets too deep for the parser, which counts neither.
func checkText(source string) error {
	if len(source) > maxBytes {
		return &Error{1, 1, fmt.Sprintf("the formula has %d bytes, want at most %d", len(source), maxBytes)}
	}
	if !utf8.ValidString(source) {
		return &Error{1, 1, "the formula is not valid UTF-8"}
	}
	if strings.TrimSpace(source) == "" {
		return &Error{1, 1, "the formula is empty"}
	}
	depth := 0
	for i, r := range []rune(source) {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth > maxDepth {
			return errorAt(source, i, "more than %d brackets are open, want at most that", maxDepth)
		}
	}
	return nil
}

// parse parses a formula. Our functions take the place of those of expr-lang that have
// the same name, some of which have another syntax.
func parse(source string) (ast.Node, error) {
	config := &conf.Config{MaxNodes: maxNodes, Functions: conf.FunctionsTable{}, DisableIfOperator: true}
	for name := range functions {
		config.Functions[name] = nil
	}
	for name := range shapes {
		config.Functions[name] = nil
	}
	tree, err := parser.ParseWithConfig(source, config)
	if err == nil {
		return tree.Node, nil
	}
	var wrong *file.Error
	if !errors.As(err, &wrong) {
		return nil, &Error{1, 1, err.Error()}
	}
	return nil, errorAt(source, wrong.From, "%s", plainMessage(wrong.Message))
}

// plainMessage puts a message of the parser in the words of this package.
func plainMessage(message string) string {
	switch {
	case strings.HasSuffix(message, "unexpected token EOF"), message == "unexpected end of expression":
		return "the formula ends too early"
	case strings.HasSuffix(message, "exceeds maximum allowed nodes"):
		return fmt.Sprintf("the formula has more than %d parts, want at most that", maxNodes)
	case strings.HasSuffix(message, "value out of range"):
		return "a number is too large"
	}
	message = strings.ReplaceAll(message, "\n", " ")
	if token, ok := strings.CutPrefix(message, "unexpected token "); ok {
		if i := strings.Index(token, "("); i >= 0 && strings.HasSuffix(token, ")") {
			return "unexpected " + token[i+1:len(token)-1]
		}
	}
	return message
}

// errorAt makes an error about the character of the given number, from 0.
func errorAt(source string, character int, format string, args ...any) *Error {
	e := &Error{Line: 1, Column: 1, Message: fmt.Sprintf(format, args...)}
	for _, r := range []rune(source)[:min(character, utf8.RuneCountInString(source))] {
		e.Column++
		if r == '\n' {
			e.Line++
			e.Column = 1
		}
	}
	return e
}
