// Package terms is the library of named parts of which a configuration makes a task:
// actions, observations, rewards, terminations, commands, events and curriculum. Package
// robot runs them. The page docs/terms.md is generated from this package's comments.
//
// # How to add a term
//
// A term is one small function and a row of the table; CONTRIBUTING.md has an example. The function resolves names
// once, through the [Binder], and returns a closure that is called for every world and control step. Its second
// argument holds the parameters: a struct with yaml tags, whose fields have comments with their units and tags "want"
// with their bounds; the table has the defaults. If it has a method checkKeys, that is called when the configuration
// is read; what depends on the model is checked while binding, with [Binder.Fail]. The comments of the function and
// of the fields become the term's section of docs/terms.md: TestPage -update writes it.
//
// An event that changes a constant of the scene, such as a mass, is no function but a row of the table of fields, whose
// comment is its section: the array of the model and its bounds, which objects have it, and what is drawn.
//
// Closures must not allocate, and must depend on nothing but the view: a task has many worlds and goroutines. What a
// world must remember lies in slots ([Binder.Memory]), which are zero when an episode begins. Draws come from the
// generator that an event or a command is given, or from [View.Draw]. Write float64(x*y) + z where Go might fuse the
// two operations.
package terms
