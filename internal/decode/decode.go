// Package decode reads YAML strictly into Go structs: keys must be known, values must
// have exactly the type of their field, and every error is one line that begins with the
// key. The keys of a struct are those of its yaml tags.
package decode

import (
	"bytes"
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-viper/mapstructure/v2"
	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// Parse parses one YAML value; nil for an empty document. The result consists of bool,
// int, uint64, float64, string, []any and map[string]any; a number without a fraction is
// an int. Keys in errors begin with path.
func Parse(path string, data []byte) (any, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var value any
	if err := dec.Decode(&value); err != nil && err != io.EOF {
		return nil, Under(path, errors.New(strings.Join(strings.Fields(err.Error()), " ")))
	}
	if err := dec.Decode(new(any)); err != io.EOF {
		return nil, Under(path, errMoreDocuments)
	}
	return Clean(path, value)
}

// Clean returns a deep copy of a value, converted to the types that [Parse]
// lists. Numbers must be finite, except that a list may hold infinite ones, as limits.
// A null entry of a mapping counts as not given. Keys in errors begin with path.
func Clean(path string, value any) (any, error) {
	switch v := value.(type) {
	case nil, bool, int, uint64, string:
		return v, nil
	case int64:
		if int64(int(v)) == v {
			return int(v), nil
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, Wrong(path, value, "a finite number")
		}
		// YAML writes 3.0 as 3, and a round trip must not change the value.
		if i := int(v); v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return i, nil
		}
		return v, nil
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			at := fmt.Sprintf("%s[%d]", path, i)
			if item == nil {
				return nil, Wrong(at, nil, "a value")
			}
			if limit, ok := item.(float64); ok && math.IsInf(limit, 0) {
				list[i] = limit
				continue
			}
			c, err := Clean(at, item)
			if err != nil {
				return nil, err
			}
			list[i] = c
		}
		return list, nil
	case map[string]any:
		tree := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			c, err := Clean(Join(path, key), v[key])
			if err != nil {
				return nil, err
			}
			if c != nil {
				tree[key] = c
			}
		}
		return tree, nil
	case map[any]any:
		return nil, Errorf(path, "want keys that are text; quote those that YAML reads as numbers or dates")
	case time.Time:
		return nil, Wrong(path, value, "text or a number; quote it if it is text")
	}
	if basic := basicOf(reflect.ValueOf(value)); basic != nil {
		return Clean(path, basic)
	}
	return nil, Wrong(path, value, "a value of YAML's basic types")
}

// basicOf converts booleans, numbers, strings, lists and mappings of other Go types to
// the types of YAML, for options that a program sets; nil for any other value.
func basicOf(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return v.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32:
		return int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n := v.Uint(); n > math.MaxInt {
			return n
		}
		return int(v.Uint())
	case reflect.Float32, reflect.Float64:
		return v.Float()
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = v.Index(i).Interface()
		}
		return list
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return nil
		}
		tree := make(map[string]any, v.Len())
		for _, key := range v.MapKeys() {
			tree[key.String()] = v.MapIndex(key).Interface()
		}
		return tree
	}
	return nil
}

// Into fills the struct that out points to from tree, strictly. Fields that
// tree does not mention keep their values.
func Into(path string, tree, out any) error {
	var meta mapstructure.Metadata
	dec, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result:          out,
		Metadata:        &meta,
		TagName:         "yaml",
		SquashTagOption: "inline",
		ZeroFields:      true, // a list replaces the previous one, whatever its length
		MatchName:       func(key, field string) bool { return key == field },
		DecodeHook:      mapstructure.DecodeHookFuncValue(convert),
	})
	if err != nil {
		return err
	}
	err = dec.Decode(tree)
	if len(meta.Unused) > 0 {
		unknown := dotted(slices.Min(meta.Unused))
		known := suggest(unknown, reflect.TypeOf(out).Elem())
		return Under(Join(path, unknown), &unknownKey{Join(path, known)})
	}
	return firstError(path, err)
}

// firstError returns the first of the errors that mapstructure joins, in our words.
func firstError(path string, err error) error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return firstError(path, joined.Unwrap()[0])
	}
	var d *mapstructure.DecodeError
	if errors.As(err, &d) {
		path, err = Join(path, dotted(d.Name())), d.Unwrap()
	}
	if inner, ok := err.(*keyError); ok { // of a [Value] that has keys of its own
		if unknown, ok := inner.err.(*unknownKey); ok {
			inner.err = &unknownKey{Join(path, unknown.nearest)}
		}
		path, err = Join(path, inner.key), inner.err
	}
	return Under(path, err)
}

// dotted writes the keys of mappings in a path as ours, a.b for mapstructure's a[b].
func dotted(path string) string {
	return bracketed.ReplaceAllString(path, ".$1")
}

var bracketed = regexp.MustCompile(`\[([^\]0-9][^\]]*)\]`)

// convert is a decode hook that returns a value of exactly the field's type, or an
// error that names the wanted type.
func convert(from, to reflect.Value) (any, error) {
	for from.Kind() == reflect.Interface {
		from = from.Elem()
	}
	value, target := from.Interface(), to.Type()
	for target.Kind() == reflect.Pointer {
		target = target.Elem()
	}
	made := reflect.New(target).Interface()
	reader, reads := made.(Value)
	text, takesText := made.(encoding.TextUnmarshaler)
	what := ""
	switch {
	case from.Type() == target && (reads || takesText):
		return value, nil
	case reads:
		var err error
		if what, err = reader.FromYAML(value); what == "" {
			return reflect.ValueOf(reader).Elem().Interface(), err
		}
	case target == reflect.TypeFor[time.Duration]():
		if d, ok := duration(value); ok {
			return d, nil
		}
		what = "a time with its unit, such as 4ms"
	case takesText:
		if written, ok := textOf(value); ok {
			err := text.UnmarshalText([]byte(written))
			return reflect.ValueOf(text).Elem().Interface(), err
		}
		what = "text"
	case target.Kind() == reflect.Interface:
		to.SetZero() // the type of the default does not matter
	default:
		what = wanted(from, target)
	}
	if what != "" {
		return nil, &wrongValue{value, what}
	}
	return value, nil
}

// duration returns the time that a value is: text with a unit, or 0.
func duration(value any) (d time.Duration, ok bool) {
	switch v := value.(type) {
	case time.Duration:
		return v, true
	case string:
		d, err := time.ParseDuration(v)
		return d, err == nil
	}
	return 0, value == 0
}

// textOf returns the text of a value. To YAML, true is a boolean even where a type has it
// among other words.
func textOf(value any) (text string, ok bool) {
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v), true
	case string:
		return v, true
	}
	return "", false
}

// wanted says what a field of a basic type wants if value would be rounded, truncated or
// reinterpreted; "" if it fits.
func wanted(value reflect.Value, target reflect.Type) string {
	fits, what := true, ""
	switch target.Kind() {
	case reflect.Bool:
		fits, what = value.Kind() == reflect.Bool, "true or false"
	case reflect.String:
		fits, what = value.Kind() == reflect.String, "text"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return wantedNumber(value.Interface(), reflect.Zero(target))
	case reflect.Slice:
		fits, what = value.Kind() == reflect.Slice, "a list"
	case reflect.Array:
		fits = value.Kind() == reflect.Slice && value.Len() == target.Len()
		what = fmt.Sprintf("a list of %d values", target.Len())
	case reflect.Struct, reflect.Map:
		fits, what = value.Kind() == reflect.Map, "a mapping of keys to values"
	}
	if fits {
		return ""
	}
	return what
}

// wantedNumber is wanted for a number of the type of zero.
func wantedNumber(value any, zero reflect.Value) string {
	whole, isInt := value.(int)
	large, isLarge := value.(uint64) // used only for values that do not fit an int
	float, isFloat := value.(float64)
	switch {
	case zero.CanInt() && isLarge:
		return fmt.Sprintf("a whole number of at most %d", math.MaxInt)
	case zero.CanInt() && !isInt:
		return "a whole number"
	case zero.CanInt() && zero.OverflowInt(int64(whole)):
		return fmt.Sprintf("a whole number of at most %d bits", zero.Type().Bits())
	case zero.CanUint():
		if isInt && whole >= 0 && !zero.OverflowUint(uint64(whole)) || isLarge && !zero.OverflowUint(large) {
			return ""
		}
		return fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)>>(64-zero.Type().Bits()))
	case zero.CanFloat() && !isInt && !isLarge && (!isFloat || zero.OverflowFloat(float)):
		return "a number"
	}
	return ""
}

// wrongValue is the error of an invalid value, without its key.
type wrongValue struct {
	got  any
	want string
}

func (w *wrongValue) Error() string { return fmt.Sprintf("is %s, want %s", Describe(w.got), w.want) }

// unknownKey is the error of a key that a struct does not have, without the key.
type unknownKey struct{ nearest string }

func (u *unknownKey) Error() string { return "unknown key; did you mean " + u.nearest + "?" }

// Wrong returns the error of an invalid value of a key.
func Wrong(key string, got any, want string) error { return Under(key, &wrongValue{got, want}) }

// Under returns err with the key that it is about in front.
func Under(key string, err error) error {
	if key == "" {
		return err
	}
	return &keyError{key, err}
}

// keyError is an error with the key that it is about.
type keyError struct {
	key string
	err error
}

func (e *keyError) Error() string {
	if _, ok := e.err.(*wrongValue); ok {
		return Printable(e.key) + " " + e.err.Error()
	}
	return Printable(e.key) + ": " + e.err.Error()
}

func (e *keyError) Unwrap() error { return e.err }

// Describe names a value for an error.
func Describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case time.Time:
		return "a date"
	case map[string]any:
		return "a mapping"
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case string:
		return strconv.Quote(v)
	}
	return fmt.Sprint(value)
}

// Errorf returns an error that begins with a key.
func Errorf(path, format string, args ...any) error {
	return Under(path, fmt.Errorf(format, args...))
}

// Printable returns s, quoted if it would not stay on its line.
func Printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// Join returns the key of an entry of a mapping, or of a list if key begins with "[".
func Join(path, key string) string {
	switch {
	case path == "":
		return key
	case key == "" || key[0] == '[':
		return path + key
	}
	return path + "." + key
}

// suggest returns the known key nearest to the unknown one, for a struct of
// type t. It prefers a key with the same parent.
func suggest(unknown string, t reflect.Type) string {
	const elsewhere = 2 // edits added to the distance of a key elsewhere
	parent, leaf := split(unknown)
	best, least := "", math.MaxInt
	for _, known := range allKeys("", t) {
		p, l := split(known)
		d := spell.Distance(leaf, l)
		if p == withoutIndices(parent) {
			known = Join(parent, l)
		} else {
			d += elsewhere
		}
		if d < least {
			best, least = known, d
		}
	}
	return best
}

// split cuts a key into its parent and its last element.
func split(key string) (parent, leaf string) {
	i := strings.LastIndexByte(key, '.')
	if i < 0 {
		return "", key
	}
	return key[:i], key[i+1:]
}

// withoutIndices turns runners[2] into runners[].
func withoutIndices(path string) string {
	var b strings.Builder
	inside := false
	for _, r := range path {
		inside = inside && r != ']'
		if !inside {
			b.WriteRune(r)
		}
		inside = inside || r == '['
	}
	return b.String()
}

// allKeys lists the keys of a struct type, including those of nested structs and of
// the entries of lists, in order.
func allKeys(path string, t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Slice {
		return allKeys(path+"[]", t.Elem())
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for f := range Fields(t) {
		key := Join(path, f.Key)
		keys = append(keys, key)
		if !isValue(f.Type) {
			keys = append(keys, allKeys(key, f.Type)...)
		}
	}
	return keys
}

// Field is a field of a struct.
type Field struct {
	reflect.StructField
	Key string // in YAML
}

// Fields yields the fields of a struct that YAML has. The fields of an inlined struct
// count as fields of the struct itself.
func Fields(t reflect.Type) iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			switch {
			case name == "-":
			case options == "inline":
				for inner := range Fields(f.Type) {
					if !yield(inner) {
						return
					}
				}
			case !yield(Field{f, cmp.Or(name, f.Name)}):
				return
			}
		}
	}
}

// Value is implemented by pointers to types whose values in YAML differ from those of
// their kind in Go, such as a number that may also be text. FromYAML sets the value; if
// it cannot be one, it returns what is wanted instead, such as "a rate", or an error. The
// key of an error of [Into] and [Wrong] is taken as one within the value.
type Value interface {
	FromYAML(value any) (want string, err error)
}

// isValue reports whether a type is a [Value].
func isValue(t reflect.Type) bool { return reflect.PointerTo(t).Implements(reflect.TypeFor[Value]()) }

// Leaves lists the keys of a struct type that hold a value, a list or a mapping with
// free keys.
func Leaves(t reflect.Type) []string {
	var keys []string
	var walk func(path string, t reflect.Type)
	walk = func(path string, t reflect.Type) {
		if t.Kind() != reflect.Struct || isValue(t) {
			keys = append(keys, path)
			return
		}
		for f := range Fields(t) {
			walk(Join(path, f.Key), f.Type)
		}
	}
	walk("", t)
	return keys
}

var errMoreDocuments = errors.New("want one YAML document, got more than one")
