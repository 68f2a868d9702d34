package exam

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

// madeUp is an exam of episodes that are drawn: those of a cell succeed with a chance that is less the further its values
// are down their axes.
type madeUp struct {
	axes     []axisValues
	points   int      // as of [Plan.Cells]
	chance   float64  // in the control cell
	gate     bool     // against a reference
	better   float64  // how much greater the chance of the reference is
	ends     []string // of failures
	episodes int
	success  Success
}

type axisValues struct {
	name   string
	values []string
}

const hostile = "<script>alert('x')</script>\"&]]>--><!--\x00\x01\u202e{{.}}\n${`"

// report returns the plan and the report.
func (m madeUp) report() (*Plan, *Report) {
	p := Default()
	p.Configuration = "task: made-up\n# " + hostile
	p.config = &configs.Config{Seed: 7}
	p.config.Task.Name = "made-up"
	p.Candidate = Subject{Name: "runs/walk-002", Kind: "checkpoint", SHA256: strings.Repeat("0123456789abcdef", 4)}
	p.Episodes = Episodes{Least: 50, Most: max(m.episodes, 50)}
	if p.Success = m.success; p.Success == nil {
		p.Success = Success{"time_limit": {Is: new(true)}, "tracking_error": {Max: new(0.25)}}
	}
	if m.gate {
		p.Reference, p.Gate = &Subject{Name: "runs/walk-001", Kind: "checkpoint"}, &Gate{Margin: 0.05}
	}
	x := &examination{plan: p, cells: []Cell{{}}, versions: map[string]string{"go": "go1", "mujoco": "4", "polyrhythm": hostile},
		journal: &journal{infos: []string{"tracking_error", hostile}, done: map[part][]Episode{}}}
	for _, a := range m.axes {
		p.Axes = append(p.Axes, sweep.Range{Key: a.name})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for n := 0; len(m.axes) > 0; n++ {
		cell, rest, all := Cell{Number: n + 1}, n, 1
		for _, a := range m.axes {
			all *= len(a.values)
		}
		if n == all && m.points == 0 || m.points > 0 && n == m.points {
			break
		}
		for i := range m.axes { // the last one fastest, as a grid has it
			a := m.axes[len(m.axes)-1-i]
			cell.Values = slices.Insert(cell.Values, 0, a.values[rest%len(a.values)])
			rest /= len(a.values)
			if m.points > 0 {
				cell.Values[0] = strconv.FormatFloat(random.Float64()*10, 'g', 4, 64)
			}
		}
		x.cells = append(x.cells, cell)
	}
	for _, cell := range x.cells {
		chance := m.chance
		for i, v := range cell.Values {
			if at := slices.Index(m.axes[i].values, v); at >= 0 {
				chance *= 1 - 0.5*float64(at)/float64(len(m.axes[i].values))
			} else if w, err := strconv.ParseFloat(v, 64); err == nil {
				chance *= 1 - w/15
			}
		}
		for i := range p.Episodes.Most {
			u := random.Float64()
			x.journal.done[part{cell.Number, false}] = append(x.journal.done[part{cell.Number, false}], m.episode(i, u, u < chance))
			if m.gate {
				x.journal.done[part{cell.Number, true}] = append(x.journal.done[part{cell.Number, true}], m.episode(i, u, u < chance+m.better))
			}
		}
	}
	r := x.report()
	for _, a := range m.axes {
		r.Limits = append(r.Limits, Limit{Axis: a.name, Episodes: 50, Fails: 62.5, Episode: 7, End: "bad_orientation", Succeeds: 60,
			Bounded: len(r.Limits) == 0, File: "limit-1.yaml"})
	}
	return p, r
}

func (m madeUp) episode(i int, u float64, success bool) Episode {
	e := Episode{Success: success, End: "time_limit", Return: 100 * u, Steps: int64(100 + i), Infos: []float64{u, float64(i)}}
	if !success && len(m.ends) > 0 {
		e.End, e.Return = m.ends[i%len(m.ends)], -e.Return
	}
	return e
}

// madeUps are exams of each form that a page has.
var madeUps = map[string]madeUp{
	"one cell":    {chance: 0.9, ends: []string{"bad_orientation"}},
	"all succeed": {chance: 2},
	"one axis":    {chance: 0.97, axes: []axisValues{{"push", []string{"0N", "50N", "100N", "200N"}}}, ends: []string{"bad_orientation"}},
	"two axes": {chance: 0.97, axes: []axisValues{{"push", []string{"0N", "50N", "100N"}}, {"friction", []string{"1.0", "0.7", "0.4"}}},
		ends: []string{"bad_orientation", "time_limit", "base_too_low"}},
	"three axes": {chance: 0.99, axes: []axisValues{{"push", []string{"0N", "50N", "100N", "150N", "200N"}},
		{"friction", []string{"1.0", "0.7", "0.4"}}, {"scene.terrain.kind", []string{"flat", "random_rough", "stairs", "slope"}}},
		ends: []string{"bad_orientation"}},
	"gate passes":    {chance: 0.9, gate: true, episodes: 200},
	"gate undecided": {chance: 0.8, gate: true, better: 0.01, axes: []axisValues{{"mass", []string{"0.8", "1.2"}}}},
	"gate fails": {chance: 0.8, gate: true, better: 0.1, episodes: 200, axes: []axisValues{{"latency.sensors", []string{"0ms", "20ms", "40ms"}}},
		ends: []string{"bad_orientation"}},
	"points": {chance: 0.99, points: 50, axes: []axisValues{{"mass", []string{"0", "1"}}, {"push", []string{"0", "1"}}},
		ends: []string{"bad_orientation"}},
	"hostile": {success: Success{hostile: {Is: new(true)}}, chance: 0.6, gate: true, better: 0.1, axes: []axisValues{{hostile, []string{hostile, "1", "1.0", " 1", "1e999"}},
		{hostile + "2", []string{"", strings.Repeat("long ", 100), "\xff"}}}, ends: []string{hostile, hostile + "2"}},
}

func pageOfText(t *testing.T, p *Plan, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	polytest.NoError(t, writePage(&b, p, r))
	return b.String()
}

// parse reads a page as XML, which all our pages are, and returns its elements without the namespace, and their texts.
func parse(t *testing.T, text string) *node {
	t.Helper()
	_, text, ok := strings.Cut(text, "<!DOCTYPE html>\n")
	if !ok {
		t.Fatal("the page has no document type")
	}
	d := xml.NewDecoder(strings.NewReader(text))
	root := &node{}
	open := []*node{root}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return root
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		top := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attributes: map[string]string{}}
			for _, a := range token.Attr {
				n.attributes[a.Name.Local] = a.Value
			}
			top.children = append(top.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.children = append(top.children, &node{text: string(token)})
		}
	}
}

type node struct {
	name, text string
	attributes map[string]string
	children   []*node
}

// all returns the descendants with a name; "": all elements.
func (n *node) all(name string) (list []*node) {
	for _, c := range n.children {
		if c.name == name || name == "" && c.name != "" {
			list = append(list, c)
		}
		list = append(list, c.all(name)...)
	}
	return list
}

func (n *node) String() string {
	text := n.text
	for _, c := range n.children {
		text += c.String()
	}
	return text
}

// has returns the descendants with a class.
func (n *node) has(class string) (list []*node) {
	for _, c := range n.children {
		if slices.Contains(strings.Fields(c.attributes["class"]), class) {
			list = append(list, c)
		}
		list = append(list, c.has(class)...)
	}
	return list
}

// section returns the part of a page with an id; nil if there is none.
func (n *node) section(id string) *node {
	for _, c := range n.all("section") {
		if c.attributes["id"] == id {
			return c
		}
	}
	return nil
}

func (n *node) number(t *testing.T, attribute string) float64 {
	t.Helper()
	return polytest.Must(strconv.ParseFloat(n.attributes[attribute], 64))(t)
}

// numbers returns the numbers in a text of ours.
func numbers(text string) (list []float64) {
	text = strings.ReplaceAll(text, "−", "-")
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return !strings.ContainsRune("0123456789+-.e", c) }) {
		if v, err := strconv.ParseFloat(word, 64); err == nil {
			list = append(list, v)
		}
	}
	return list
}

// A page follows from its report as it is written, and needs nothing else: no script, no other file. It is well formed, its
// links lead to parts of it, and names in it do nothing.
func TestPageStandsAlone(t *testing.T) {
	for name, m := range madeUps {
		p, r := m.report()
		text := pageOfText(t, p, r)
		read := &Report{}
		polytest.NoError(t, json.Unmarshal(polytest.Must(json.Marshal(r))(t), read))
		if name != "hostile" { // JSON has no names that are no text
			polytest.Equal(t, pageOfText(t, p, read), text, "page of %q, from the report as it was read", name)
		}
		root := parse(t, text)
		ids := map[string]bool{}
		for _, n := range root.all("") {
			ids["#"+n.attributes["id"]] = true
		}
		for _, n := range root.all("") {
			if slices.Contains([]string{"script", "link", "img", "iframe", "object", "base", "form"}, n.name) {
				t.Errorf("%s: the page has an element %s, want none", name, n.name)
			}
			for attribute, value := range n.attributes {
				if strings.HasPrefix(attribute, "on") || attribute == "src" || attribute == "style" ||
					attribute == "href" && !ids[value] {
					t.Errorf("%s: %s has %s=%q, want no such one", name, n.name, attribute, value)
				}
			}
		}
		if strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) && c != '\u00a0' }) {
			t.Errorf("%s: the page has characters that cannot be seen", name)
		}
	}
}

// The table has each cell with the numbers of the report.
func TestPageTable(t *testing.T) {
	for name, m := range madeUps {
		p, r := m.report()
		rows := parse(t, pageOfText(t, p, r)).section("cells").all("tbody")[0].all("tr")
		polytest.Equal(t, len(rows), len(r.Cells), "rows of %q", name)
		for i, c := range r.Cells {
			cells := rows[i].all("td")
			near := func(what string, values ...float64) {
				t.Helper()
				got := numbers(cells[0].String())
				ok := len(got) == len(values)
				for k := 0; ok && k < len(got); k++ {
					ok = math.Abs(got[k]-values[k]) <= 0.0501+0.005*math.Abs(values[k])
				}
				if !ok {
					t.Errorf("%s: %s of cell %d is %q, want %v", name, what, i, cells[0], values)
				}
				cells = cells[1:]
			}
			near("number", float64(c.Cell))
			for _, axis := range r.Axes {
				want := "–"
				if c.Values != nil {
					want = clean(c.Values[axis])
				}
				polytest.Equal(t, cells[0].String(), want, "value of cell %d of %q", i, name)
				cells = cells[1:]
			}
			rate := c.Candidate
			text := strings.ReplaceAll(cells[0].String(), "–", " ")
			cells[0] = &node{text: text}
			near("success", 100*rate.Rate, 100*rate.Low, 100*rate.High)
			near("episodes", float64(rate.Successes), float64(rate.Episodes))
			switch d := c.Control; {
			case d != nil:
				near("difference", 100*d.Difference, 100*d.Low, 100*d.High)
				if got := numbers(cells[0].String())[0]; math.Abs(got-d.Holm) > 0.06*d.Holm {
					t.Errorf("%s: p of cell %d is %v, want %v", name, i, got, d.Holm)
				}
				cells = cells[1:]
			case len(r.Cells) > 1:
				cells = cells[2:]
			}
			if g := c.Gate; g != nil {
				near("reference", 100*c.Reference.Rate)
				near("loss", 100*g.Loss, 100*g.Low, 100*g.High)
				if !strings.Contains(cells[0].String(), g.Verdict) {
					t.Errorf("%s: the verdict of cell %d is %q, want %q", name, i, cells[0], g.Verdict)
				}
				cells = cells[1:]
			}
			near("return", rate.MeanReturn)
			for end, n := range rate.Ends {
				if !strings.Contains(cells[0].String(), strconv.Itoa(n)+nbsp+clean(end)) {
					t.Errorf("%s: the ends of cell %d are %q, want %d %q among them", name, i, cells[0], n, end)
				}
			}
		}
	}
}

// The dots of charts are at the rates of the cells, or at their means, by the chart's own ticks, and their bars at the
// bounds.
func TestPageCharts(t *testing.T) {
	for name, m := range madeUps {
		p, r := m.report()
		axes := parse(t, pageOfText(t, p, r)).section("axes")
		if axes == nil {
			polytest.Equal(t, len(m.axes), 0, "axes of %q without a chart", name)
			continue
		}
		charts := axes.has("chart")
		polytest.Equal(t, len(charts), len(m.axes), "charts of %q", name)
		for k, chart := range charts {
			low, high := math.NaN(), math.NaN() // of 0 and 100 %
			for _, text := range chart.has("end") {
				switch text.String() {
				case "0":
					low = text.number(t, "y")
				case "100":
					high = text.number(t, "y")
				}
			}
			rate := func(y float64) float64 { return (y - low) / (high - low) }
			near := func(y, want float64) bool { return math.Abs(rate(y)-want) < 0.0005 }
			if y := chart.has("dash")[0].number(t, "y1"); !near(y, r.Cells[0].Candidate.Rate) {
				t.Errorf("%s: the control cell is at %v, want %v", name, rate(y), r.Cells[0].Candidate.Rate)
			}
			var want []Rate
			for _, c := range r.Cells[1:] {
				want = append(want, c.Candidate)
				if c.Reference != nil && len(m.axes) == 1 {
					want = append(want, *c.Reference)
				}
			}
			dots, bars := chart.has("dot"), chart.has("bar")
			if len(dots) == len(m.axes[k].values) && len(m.axes) > 1 && len(bars) == 0 {
				want = nil
				for _, value := range m.axes[k].values {
					sum, n := 0.0, 0.0
					for _, c := range r.Cells[1:] {
						if c.Values[m.axes[k].name] == value {
							sum, n = sum+c.Candidate.Rate, n+1
						}
					}
					want = append(want, Rate{Rate: sum / n})
				}
			}
			polytest.Equal(t, len(dots), len(want), "dots of a chart of %q", name)
			for i, d := range dots {
				j := slices.IndexFunc(want, func(w Rate) bool {
					return near(d.number(t, "cy"), w.Rate) && (len(bars) == 0 || near(bars[i].number(t, "y1"), w.Low) &&
						near(bars[i].number(t, "y2"), w.High))
				})
				if j < 0 {
					t.Errorf("%s: a dot is at %v, want it and its bar at one of %+v", name, rate(d.number(t, "cy")), want)
					continue
				}
				want = slices.Delete(want, j, j+1)
			}
			for _, text := range append(chart.all("text"), chart.all("circle")...) {
				x := text.attributes["x"] + text.attributes["cx"]
				if v := polytest.Must(strconv.ParseFloat(x, 64))(t); !(v >= 0 && v <= float64(chartWidth)) {
					t.Errorf("%s: something is at %v, outside of the chart", name, v)
				}
			}
		}
	}
}

// A tile of a heat map has the mean of the cells with its values, in a colour on which it can be read.
func TestPageMaps(t *testing.T) {
	p, r := madeUps["three axes"].report()
	figures := parse(t, pageOfText(t, p, r)).section("maps").all("figure")
	polytest.Equal(t, len(figures), 3, "maps of three axes")
	var want, got []string
	for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		a, b := r.Axes[pair[0]], r.Axes[pair[1]]
		sums, counts := map[[2]string]float64{}, map[[2]string]float64{}
		for _, c := range r.Cells[1:] {
			at := [2]string{c.Values[a], c.Values[b]}
			sums[at] += c.Candidate.Rate
			counts[at]++
		}
		for at, sum := range sums {
			want = append(want, fmt.Sprintf("%s %s %.0f", at[0], at[1], 100*sum/counts[at]))
		}
	}
	for _, f := range figures {
		columns := map[string]string{} // by the place
		for _, text := range f.has("middle") {
			if title := text.all("title"); len(title) > 0 {
				columns[text.attributes["x"]] = title[0].String()
			}
		}
		rows := f.has("end")
		for _, tile := range f.has("tile") {
			y := tile.number(t, "y")
			row := slices.IndexFunc(rows, func(n *node) bool { return math.Abs(n.number(t, "y")-y) < 3 })
			got = append(got, fmt.Sprintf("%s %s %s", columns[tile.attributes["x"]], rows[row].all("title")[0], tile))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	polytest.EqualSlices(t, got, want, "tiles")

	for i := range 1001 {
		fill, ink := colours(float64(i) / 1000)
		if ratio := contrast(t, fill, ink); ratio < 4.5 {
			t.Errorf("%s on %s has a contrast of %v, want at least 4.5", ink, fill, ratio)
		}
	}
}

// contrast is that of two colours by the Web Content Accessibility Guidelines.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	light := func(colour string) (sum float64) {
		if len(colour) == 4 {
			colour = "#" + strings.Repeat(colour[1:2], 6)
		}
		for k, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v := float64(polytest.Must(strconv.ParseUint(colour[1+2*k:3+2*k], 16, 8))(t)) / 255
			if v <= 0.03928 {
				sum += weight * v / 12.92
			} else {
				sum += weight * math.Pow((v+0.055)/1.055, 2.4)
			}
		}
		return sum
	}
	p, q := light(a), light(b)
	return (max(p, q) + 0.05) / (min(p, q) + 0.05)
}

// All failures are told by how they ended, with a command for one of them.
func TestPageFailures(t *testing.T) {
	for name, m := range madeUps {
		p, r := m.report()
		failures := parse(t, pageOfText(t, p, r)).section("failures")
		left := map[[2]string]int{} // by the end and the cell
		for _, c := range r.Cells {
			n := 0
			for end, f := range c.Candidate.Failed {
				n += f.Episodes
				left[[2]string{clean(end), strconv.Itoa(c.Cell)}] = f.Episodes
			}
			polytest.Equal(t, n, c.Candidate.Episodes-c.Candidate.Successes, "failures of cell %d of %q", c.Cell, name)
		}
		for _, group := range failures.all("details") {
			end := group.all("b")[0].String()
			for _, row := range group.all("tbody")[0].all("tr") {
				cells := row.all("td")
				key := [2]string{end, cells[0].String()}
				polytest.Equal(t, int(numbers(cells[2].String())[0]), left[key], "failures by %v of %q", key, name)
				delete(left, key)
				number := polytest.Must(strconv.Atoi(key[1]))(t)
				command := strings.Fields(cells[4].String())
				episode := polytest.Must(strconv.Atoi(command[slices.Index(command, "--episode")+1]))(t)
				polytest.Equal(t, command[slices.Index(command, "--cell")+1], key[1], "cell of a command of %q", name)
				if !slices.Contains(r.Cells[number].Candidate.Failures, episode) {
					t.Errorf("%s: the command is for episode %d of cell %d, want a failure", name, episode, number)
				}
			}
		}
		polytest.Equal(t, len(left), 0, "failures of %q that are not told", name)
	}
}

// The verdict is told at the top in words.
func TestPageVerdict(t *testing.T) {
	for _, c := range []struct{ name, verdict, want string }{
		{"gate passes", "passes", "it may replace runs/walk-001"},
		{"gate fails", "fails", "it is worse than runs/walk-001"},
		{"gate undecided", "undecided", "More episodes may tell"},
	} {
		p, r := madeUps[c.name].report()
		polytest.Equal(t, r.Verdict, c.verdict, "verdict of %q", c.name)
		boxes := parse(t, pageOfText(t, p, r)).has("verdict")
		if len(boxes) != 1 || !strings.Contains(boxes[0].String(), c.want) {
			t.Errorf("%s: the page says %v, want %q", c.name, boxes, c.want)
		}
	}
}

// What success is, in words.
func TestSuccessInWords(t *testing.T) {
	infos := []string{"speed", "lift/success"}
	for _, c := range []struct {
		s     Success
		infos []string
		want  string
	}{
		{nil, infos, "lift/success is above 0 at its end"},
		{nil, infos[:1], "it lasts until its time limit"},
		{Success{"speed": {Is: new(false)}}, infos, "speed is not above 0 at its end"},
		{Success{"speed": {Min: new(0.5), Max: new(2.0)}}, infos, "the mean of speed over its control steps is at least 0.5 and at most 2"},
		{Success{"speed": {Min: new(0.5), Of: Last}}, infos, "speed is at least 0.5 at its end"},
		{Success{"fell": {Is: new(false)}, "return": {Min: new(3.0)}}, infos, "the rule that ends it is not fell and its return is at least 3"},
		{Success{"steps": {Max: new(3.0)}}, infos, "its number of control steps is at most 3"},
	} {
		polytest.Equal(t, list(c.s.words(c.infos)), c.want, "words of %+v", c.s)
	}
}
