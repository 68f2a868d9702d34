package mujoco

import (
	"bytes"
	"fmt"
	"strings"
)

// element is an element of an XML document, with the place where it begins.
type element struct {
	tag      string
	attrs    []attribute
	children []*element
	doc      *document
	line     int
}

// attribute is an attribute of an element. Entities in its value are left as they are
// written, but for the five that XML defines.
type attribute struct{ name, value string }

// attr returns the value of an attribute, "" if there is none.
func (e *element) attr(name string) string {
	for _, a := range e.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// has reports whether an element has an attribute.
func (e *element) has(name string) bool {
	for _, a := range e.attrs {
		if a.name == name {
			return true
		}
	}
	return false
}

// errorf returns an error that begins with the place of the element.
func (e *element) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", e.place(), fmt.Errorf(format, args...))
}

// place returns the file and the line of an element.
func (e *element) place() string { return fmt.Sprintf("%s:%d", e.doc.path, e.line) }

// maxDepth is how deep elements may be nested. MuJoCo's parser takes 500 and then
// recurses.
const maxDepth = 400

// xmlParser reads the elements of a document. It takes what tinyxml2, MuJoCo's parser,
// takes, and that is more than encoding/xml does: comments with "--" in them, "&" that
// begins no entity, any encoding.
type xmlParser struct {
	doc  *document
	text []byte
	at   int // next byte
	line int // that it is in

	open     []*element // not closed yet
	root     *element
	elements int
}

// parseXML returns the root of a document.
func parseXML(doc *document, text []byte) (*element, error) {
	p := &xmlParser{doc: doc, text: bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), line: 1}
	for p.skipText() {
		if err := p.markup(); err != nil {
			return nil, err
		}
	}
	if n := len(p.open); n > 0 {
		last := p.open[n-1]
		return nil, p.errorf("XML ends before <%s> of line %d is closed", last.tag, last.line)
	}
	if p.root == nil {
		return nil, p.errorf("XML has no element, want <mujoco> or <robot>")
	}
	doc.elements = p.elements
	return p.root, nil
}

func (p *xmlParser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", p.doc.path, p.line, fmt.Errorf(format, args...))
}

// skipText goes to the next markup and reports whether there is one.
func (p *xmlParser) skipText() bool {
	n := bytes.IndexByte(p.text[p.at:], '<')
	if n < 0 {
		n = len(p.text) - p.at
	}
	p.advance(n)
	return p.at < len(p.text)
}

// advance goes n bytes on.
func (p *xmlParser) advance(n int) {
	p.line += bytes.Count(p.text[p.at:p.at+n], []byte("\n"))
	p.at += n
}

// markup reads what begins with "<".
func (p *xmlParser) markup() error {
	rest := p.text[p.at:]
	for _, kind := range [...]struct{ begin, end, name string }{
		{"<!--", "-->", "comment"},
		{"<![CDATA[", "]]>", "CDATA"},
		{"<?", "?>", "declaration"},
		{"<!", ">", "declaration"},
	} {
		if bytes.HasPrefix(rest, []byte(kind.begin)) {
			n := bytes.Index(rest[len(kind.begin):], []byte(kind.end))
			if n < 0 {
				return p.errorf("XML ends in a %s, want %s", kind.name, kind.end)
			}
			p.advance(len(kind.begin) + n + len(kind.end))
			return nil
		}
	}
	if bytes.HasPrefix(rest, []byte("</")) {
		return p.closing()
	}
	return p.opening()
}

// closing reads the end of an element.
func (p *xmlParser) closing() error {
	p.advance(2)
	name := p.name()
	p.space()
	if p.at == len(p.text) || p.text[p.at] != '>' {
		return p.errorf("XML has a malformed </%s>", name)
	}
	p.advance(1)
	n := len(p.open)
	if n == 0 {
		return p.errorf("XML has </%s> without <%s>", name, name)
	}
	if last := p.open[n-1]; last.tag != name {
		return p.errorf("XML has </%s>, want </%s> for the <%s> of line %d", name, last.tag, last.tag, last.line)
	}
	p.open = p.open[:n-1]
	return nil
}

// opening reads the beginning of an element.
func (p *xmlParser) opening() error {
	e := &element{doc: p.doc, line: p.line}
	p.advance(1)
	if e.tag = p.name(); e.tag == "" {
		return p.errorf("XML has a < that begins no element")
	}
	p.elements++
	if n := len(p.open); n > 0 {
		p.open[n-1].children = append(p.open[n-1].children, e)
	} else if p.root == nil {
		p.root = e
	}
	if len(p.open) >= maxDepth {
		return p.errorf("XML elements are nested deeper than %d", maxDepth)
	}
	for {
		p.space()
		rest := p.text[p.at:]
		switch {
		case len(rest) == 0:
			return p.errorf("XML ends in <%s>", e.tag)
		case rest[0] == '>':
			p.advance(1)
			p.open = append(p.open, e)
			return nil
		case bytes.HasPrefix(rest, []byte("/>")):
			p.advance(2)
			return nil
		}
		if err := p.attribute(e); err != nil {
			return err
		}
	}
}

// attribute reads an attribute of e.
func (p *xmlParser) attribute(e *element) error {
	name := p.name()
	p.space()
	if name == "" || p.at == len(p.text) || p.text[p.at] != '=' {
		return p.errorf("XML has a malformed attribute %q in <%s>", name, e.tag)
	}
	p.advance(1)
	p.space()
	if p.at == len(p.text) || (p.text[p.at] != '"' && p.text[p.at] != '\'') {
		return p.errorf("XML attribute %s of <%s> has no quotes around its value", name, e.tag)
	}
	n := bytes.IndexByte(p.text[p.at+1:], p.text[p.at])
	if n < 0 {
		return p.errorf("XML ends in the attribute %s of <%s>", name, e.tag)
	}
	value := string(p.text[p.at+1 : p.at+1+n])
	if strings.ContainsRune(value, '&') {
		value = entities.Replace(value)
	}
	e.attrs = append(e.attrs, attribute{name, value})
	p.advance(n + 2)
	return nil
}

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")

// name reads a name; "" if there is none.
func (p *xmlParser) name() string {
	n := 0
	for rest := p.text[p.at:]; n < len(rest) && isNameByte(rest[n], n == 0); n++ {
	}
	name := string(p.text[p.at : p.at+n])
	p.at += n
	return name
}

func isNameByte(c byte, first bool) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= 0x80, c == ':', c == '_':
		return true
	case c >= '0' && c <= '9', c == '.', c == '-':
		return !first
	}
	return false
}

func (p *xmlParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n\f\v", p.text[p.at]) >= 0 {
		p.advance(1)
	}
}
