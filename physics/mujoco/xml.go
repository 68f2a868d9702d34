package mujoco

import (
	"bytes"
	"fmt"
	"iter"
	"regexp"
	"strings"
)

// element is an element of an XML document, with the place where it begins.
type element struct {
	tag      string
	attrs    []attr
	children []*element
	doc      *document
	line     int
}

// attr is an attribute of an element. Entities in its value are left as they are
// written, but for the five that XML defines.
type attr struct{ name, value string }

// find returns the value of an attribute and whether there is one.
func (e *element) find(name string) (string, bool) {
	for _, a := range e.attrs {
		if a.name == name {
			return a.value, true
		}
	}
	return "", false
}

// attr returns the value of an attribute, "" if there is none.
func (e *element) attr(name string) string {
	value, _ := e.find(name)
	return value
}

// has reports whether an element has an attribute.
func (e *element) has(name string) bool {
	_, ok := e.find(name)
	return ok
}

// all yields an element and all below it, in order.
func (e *element) all() iter.Seq[*element] {
	return func(yield func(*element) bool) { e.visit(yield, nil) }
}

// visit yields an element and all below it, of one document if doc is not nil, and reports whether more are wanted.
func (e *element) visit(yield func(*element) bool, doc *document) bool {
	if doc != nil && e.doc != doc {
		return true
	}
	if !yield(e) {
		return false
	}
	for _, child := range e.children {
		if !child.visit(yield, doc) {
			return false
		}
	}
	return true
}

// errorf returns an error that begins with the place of the element.
func (e *element) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", e.place(), fmt.Errorf(format, args...))
}

// place returns the file and the line of an element.
func (e *element) place() string { return fmt.Sprintf("%s:%d", e.doc.path, e.line) }

// maxDepth is how deep elements may be nested. MuJoCo's parser takes 500 and then recurses.
const maxDepth = 400

// The markup that is read. tinyxml2, MuJoCo's parser, takes this, and that is more than
// encoding/xml does: comments with "--" in them, "&" that begins no entity, any encoding.
const (
	xmlSpace     = `[\s\v]*`
	xmlName      = `([A-Za-z_:[:^ascii:]][\w.:\-[:^ascii:]]*)`
	xmlAttribute = xmlSpace + xmlName + xmlSpace + `=` + xmlSpace + `(?:"([^"]*)"|'([^']*)')`
)

var (
	closingTag = regexp.MustCompile(`^</` + xmlName + xmlSpace + `>`)
	openingTag = regexp.MustCompile(`^<` + xmlName + `((?:` + xmlAttribute + `)*)` + xmlSpace + `(/?)>`)
	attributes = regexp.MustCompile(xmlAttribute)
)

// xmlParser reads the elements of a document.
type xmlParser struct {
	doc  *document
	line int
	open []*element // elements that are not closed yet
	root *element
}

// parseXML returns the root of a document.
func parseXML(doc *document, text []byte) (*element, error) {
	p := &xmlParser{doc: doc, line: 1}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for start := bytes.IndexByte(text, '<'); start >= 0; start = bytes.IndexByte(text, '<') {
		p.line += bytes.Count(text[:start], []byte("\n"))
		text = text[start:]
		n, err := p.markup(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: XML %w", doc.path, p.line, err)
		}
		p.line += bytes.Count(text[:n], []byte("\n"))
		text = text[n:]
	}
	if n := len(p.open); n > 0 {
		return nil, p.open[n-1].errorf("XML ends before this <%s> is closed", p.open[n-1].tag)
	}
	if p.root == nil {
		return nil, fmt.Errorf("%s:%d: XML has no element, want <mujoco> or <robot>", doc.path, p.line)
	}
	return p.root, nil
}

// markup reads what text begins with and returns its length.
func (p *xmlParser) markup(text []byte) (int, error) {
	for _, kind := range [...]struct{ begin, end string }{
		{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"},
	} {
		if bytes.HasPrefix(text, []byte(kind.begin)) {
			n := bytes.Index(text[len(kind.begin):], []byte(kind.end))
			if n < 0 {
				return 0, fmt.Errorf("ends in a comment or declaration, want %s after %s", kind.end, kind.begin)
			}
			return len(kind.begin) + n + len(kind.end), nil
		}
	}
	n := len(p.open)
	if m := closingTag.FindSubmatch(text); m != nil {
		if n == 0 {
			return 0, fmt.Errorf("has %s without a beginning", m[0])
		}
		if last := p.open[n-1]; last.tag != string(m[1]) {
			return 0, fmt.Errorf("has %s, want </%s> for the <%s> of line %d", m[0], last.tag, last.tag, last.line)
		}
		p.open = p.open[:n-1]
		return len(m[0]), nil
	}
	m := openingTag.FindSubmatch(text)
	switch {
	case m == nil:
		head, _, _ := bytes.Cut(text[:min(len(text), 40)], []byte("\n"))
		return 0, fmt.Errorf("has a malformed element at %q, want quotes around the values of its attributes and a >",
			head)
	case n >= maxDepth:
		return 0, fmt.Errorf("elements are nested deeper than %d", maxDepth)
	}
	e := &element{doc: p.doc, line: p.line, tag: string(m[1])}
	for _, a := range attributes.FindAllSubmatch(m[2], -1) {
		e.attrs = append(e.attrs, attr{string(a[1]), entities.Replace(string(a[2]) + string(a[3]))})
	}
	if n > 0 {
		p.open[n-1].children = append(p.open[n-1].children, e)
	} else if p.root == nil {
		p.root = e
	}
	if len(m[len(m)-1]) == 0 {
		p.open = append(p.open, e)
	}
	return len(m[0]), nil
}

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")
