package exam

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/polyrhythm-rl/polyrhythm/internal/proportion"
)

// What JUnit's format has, as far as programs that read it agree.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitMessage `xml:"failure,omitempty"`
		Skipped *junitMessage `xml:"skipped,omitempty"`
		Output  string        `xml:"system-out"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
	}
)

// writeJUnit writes a test case for each cell: with a gate, it fails where the candidate is worse, and is skipped where that
// is undecided.
func writeJUnit(w io.Writer, p *Plan, r *Report) error {
	suite := junitSuite{Name: "exam of " + r.Candidate.Name, Tests: len(r.Cells)}
	for _, cell := range r.Cells {
		values := p.values(cell)
		one := junitCase{Name: p.Describe(values), Class: r.Task, Output: fmt.Sprintf("success in %d of %d episodes (%.3g to %.3g)",
			cell.Candidate.Successes, cell.Candidate.Episodes, cell.Candidate.Low, cell.Candidate.High)}
		if g := cell.Gate; g != nil {
			message := &junitMessage{fmt.Sprintf("%s: the loss is %.3g (%.3g to %.3g) in %d pairs, the margin %.3g", g.Verdict, g.Loss,
				g.Low, g.High, g.Pairs, r.Margin)}
			switch g.Verdict {
			case proportion.Fails.String():
				one.Failure = message
				suite.Failures++
			case proportion.Undecided.String():
				one.Skipped = message
				suite.Skipped++
			}
		}
		suite.Cases = append(suite.Cases, one)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// values returns those of the cell of a result; nil for the control cell.
func (p *Plan) values(r Result) (values []string) {
	for _, axis := range p.Axes {
		if r.Values != nil {
			values = append(values, r.Values[axis.Key])
		}
	}
	return values
}
