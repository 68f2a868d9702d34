package mujoco

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What MuJoCo's messages end with, after oneLine.
var (
	byElement = regexp.MustCompile(`^(.*?);? *Element '([^']*)', line (-?\d+)$`)
	byName    = regexp.MustCompile(`^(.*?);? *Element name '([^']*)', id -?\d+(?:, line (-?\d+))?$`)
	repeated  = regexp.MustCompile(`repeated name '([^']*)' in (\w+)`)
	quoted    = regexp.MustCompile(`'([^']*)'`)
	opening   = regexp.MustCompile(`[Ee]rror opening file '([^']*)'`)
)

type origin struct {
	*tree
	prefix string
}

// explain returns an error of MuJoCo's with the file and the line that it is about in
// front. MuJoCo gives line 0 for what was included, and never the file. A crash, and an
// error in a scene without files, stay as they are.
func explain(origins []origin, err error) error {
	if errors.As(err, new(crash)) || len(origins) == 0 {
		return err
	}
	message := strings.ReplaceAll(err.Error(), "XML Error: ", "")
	message = strings.TrimPrefix(message, "Error: ")
	message = strings.TrimPrefix(message, "Error: ")
	what, e, line := message, (*element)(nil), 0
	if m := byElement.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[3])
		what = fmt.Sprintf("%s in <%s>", m[1], m[2])
		e = findIn(origins, func(x *element, _ string) bool { return x.tag == m[2] && x.line == line })
		if e == nil {
			e = included(origins, m[2], message)
		}
	} else if m := byName.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[3])
		if what = m[1]; m[2] != "" && !strings.Contains(what, "'"+m[2]+"'") {
			what = fmt.Sprintf("%s in '%s'", what, m[2])
		}
		matches := func(x *element, prefix string) bool { return m[2] != "" && prefix+x.attr("name") == m[2] }
		e = findIn(origins, func(x *element, prefix string) bool { return matches(x, prefix) && x.line == line })
		if e == nil {
			e = findIn(origins, matches)
		}
	}
	if m := repeated.FindStringSubmatch(message); m != nil && (e == nil || e.attr("name") != m[1]) {
		e = second(origins, m[2], m[1])
	}
	if m := opening.FindStringSubmatch(message); m != nil && e == nil {
		e = findIn(origins, func(x *element, _ string) bool { return cmp.Or(x.attr("file"), x.attr("filename")) == m[1] })
	}
	if e != nil {
		return e.errorf("%s", what)
	}
	place := origins[0].documents[0].path
	if line > 0 {
		place = fmt.Sprintf("%s:%d", place, line)
	}
	return fmt.Errorf("%s: %s", place, what)
}

func findIn(origins []origin, f func(e *element, prefix string) bool) *element {
	for _, o := range origins {
		if e := o.find(func(e *element) bool { return f(e, o.prefix) }); e != nil {
			return e
		}
	}
	return nil
}

// included returns the first included element with a tag that a message without a line
// may be about: where the message names an attribute and a value, with these.
func included(origins []origin, tag, message string) *element {
	words := quoted.FindAllStringSubmatch(message, -1)
	return findIn(origins, func(x *element, _ string) bool {
		if x.tag != tag || x.doc == origins[0].documents[0] {
			return false
		}
		for _, word := range words {
			named := func(a attr) bool { return a.name == word[1] || a.value == word[1] }
			if word[1] != tag && !slices.ContainsFunc(x.attrs, named) {
				return false
			}
		}
		return true
	})
}

func second(origins []origin, tag, name string) *element {
	var last *element
	findIn(origins, func(e *element, prefix string) bool {
		if e.tag == tag && prefix+e.attr("name") == name {
			last = e
		}
		return false
	})
	return last
}
