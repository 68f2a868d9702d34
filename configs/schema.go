package configs

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/tasks/robot"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// Schema returns a JSON Schema (draft 2020-12) of configuration files, by which editors complete and check
// them. It is made of the types that [Load] decodes into and of the table of terms: it knows all keys and the
// types of their values. Bounds and names are left to Load, which is stricter.
func Schema() []byte {
	w := writer{defs: node{}}
	s := w.schemaOf(reflect.ValueOf(Default()))
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "A configuration of Polyrhythm"
	s["$defs"] = w.defs
	properties := s["properties"].(node)
	properties[extendsKey] = node{"type": "string", "description": "the path of a configuration, which this one changes"}
	for _, kind := range []terms.Kind{
		terms.Actions, terms.Rewards, terms.Terminations, terms.Commands, terms.Events, terms.Curriculum, terms.Infos,
	} {
		properties[string(kind)] = w.entriesOf(kind)
	}
	group := w.schemaOf(reflect.ValueOf(robot.Group{Noise: true}))
	w.defs[string(terms.Observations)] = w.entriesOf(terms.Observations)
	list := node{"$ref": "#/$defs/" + string(terms.Observations)}
	group["properties"].(node)["terms"] = list
	either := node{"if": node{"type": "array"}, "then": list, "else": group}
	group["type"], group["additionalProperties"] = []string{"object", "null"}, changes
	properties[observationsKey] = node{"type": "object", "additionalProperties": either}
	for _, list := range namedLists {
		property := node{"properties": properties}
		for _, key := range strings.Split(list.path, ".") {
			property = property["properties"].(node)[key].(node)
			if of, ok := property["$ref"].(string); ok && key != list.path {
				property = w.defs[strings.TrimPrefix(of, "#/$defs/")].(node)
			}
		}
		property["type"] = []string{"array", "object", "null"}
		property["additionalProperties"], property["minProperties"] = changes, 1
	}
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		panic(err) // plain data can always be encoded
	}
	return append(single.ReplaceAll(text, []byte("{$1}")), '\n')
}

// changes is the schema of what changes in an entry of a list, or in a file over another removes it.
var changes = node{"type": []string{"object", "null"}}

// single matches an object of one text.
var single = regexp.MustCompile(`\{\s+("[$\w]+": "[^"]*")\s+\}`)

type node = map[string]any

// writer makes schemas of types.
type writer struct {
	defs node // schemas of types without defaults, by the types' names, which others refer to
}

// schemaOf returns the schema of a value's type, with the value as the default.
func (w writer) schemaOf(v reflect.Value) node {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return w.schemaOf(reflect.New(v.Type().Elem()).Elem())
		}
		v = v.Elem()
	}
	name := v.Type().String() // such as terms.Range; of one without a name, what it is made of
	if n := w.plainSchemaOf(v); !v.IsZero() || len(n) < 2 || v.Type().PkgPath() == "" {
		return n
	} else if w.defs[name] == nil {
		w.defs[name] = n
	}
	return node{"$ref": "#/$defs/" + name}
}

func (w writer) plainSchemaOf(v reflect.Value) node {
	t := v.Type()
	_, text := reflect.New(t).Interface().(encoding.TextUnmarshaler)
	_, own := reflect.New(t).Interface().(decode.Value)
	switch {
	case t == reflect.TypeFor[robot.Group](): // as a mapping
	case t == reflect.TypeFor[time.Duration]():
		return node{"type": []string{"string", "integer"}, "description": "a time with its unit, such as 4ms, or 0"}
	case t == reflect.TypeFor[Rate]():
		return node{"type": []string{"string", "number"}, "description": "hertz or a period, such as 50, 29.97, 200/3 " +
			"or 15ms"}
	case t == reflect.TypeFor[Off]():
		return node{"type": "boolean", "default": !v.Bool()}
	case t == reflect.TypeFor[Edits]():
		return w.plainSchemaOf(reflect.ValueOf([]map[string]any{}))
	case own:
		return node{}
	case text:
		return node{"type": []string{"string", "boolean"}}
	}
	switch t.Kind() {
	case reflect.Bool:
		return node{"type": "boolean", "default": v.Bool()}
	case reflect.String:
		return withDefault(node{"type": "string"}, v)
	case reflect.Float32, reflect.Float64:
		return withDefault(node{"type": "number"}, v)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return withDefault(node{"type": "integer"}, v)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return node{"type": "integer", "minimum": 0}
	case reflect.Slice:
		return node{"type": "array", "items": w.schemaOf(reflect.New(t.Elem()).Elem())}
	case reflect.Array:
		return node{"type": "array", "items": w.schemaOf(reflect.New(t.Elem()).Elem()), "minItems": t.Len(),
			"maxItems": t.Len()}
	case reflect.Map:
		return node{"type": "object", "additionalProperties": w.schemaOf(reflect.New(t.Elem()).Elem())}
	case reflect.Struct:
		return node{"type": "object", "properties": w.propertiesOf(v), "additionalProperties": false}
	}
	return node{} // any value
}

func (w writer) propertiesOf(v reflect.Value) node {
	properties := node{}
	for _, f := range decode.Fields(v.Type()) {
		properties[f.Key] = w.schemaOf(v.FieldByIndex(f.Index))
	}
	return properties
}

// withDefault adds the default, unless it is the zero value, which often means another.
func withDefault(n node, v reflect.Value) node {
	if !v.IsZero() {
		n["default"] = v.Interface()
	}
	return n
}

// entriesOf returns the schema of a section: a list whose entries have the keys of their term.
func (w writer) entriesOf(kind terms.Kind) node {
	var names []string
	var cases []node
	forms := []node{}
	for name, keys := range terms.All(kind) {
		properties := w.propertiesOf(keys.Elem())
		delete(properties, "expr")
		is := node{"required": []string{"term"}, "properties": node{"term": node{"const": name}}}
		if name == "expr" {
			is = node{"required": []string{"expr"}}
			properties["expr"] = node{"type": "string"}
			delete(properties, "term")
			forms = append(forms, is)
		} else {
			names = append(names, name)
		}
		cases = append(cases, node{"if": is, "then": node{"properties": properties, "additionalProperties": false}})
	}
	properties := node{}
	if names != nil {
		forms = append(forms, node{"required": []string{"term"}})
		properties["term"] = node{"enum": names,
			"description": fmt.Sprintf("a term of %[1]s, see docs/reference/terms/%[1]s.md", kind)}
	}
	return node{"type": "array", "items": node{"type": "object", "properties": properties, "anyOf": forms, "allOf": cases}}
}
