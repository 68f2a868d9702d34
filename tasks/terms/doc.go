// Package terms is the library of named parts of which a configuration makes a task: actions, observations, rewards,
// terminations, commands, events and curriculum. Package robot runs them. The pages in docs/reference/terms are
// generated from this package's comments.
//
// # Where things are
//
// Each kind of terms has a file with the list of all of its terms: action.go, observation.go, reward.go,
// termination.go, command.go, event.go with event_fields.go, and curriculum.go. The terms themselves are there or in
// files whose names begin with the kind; those that follow a motion or lift an object, of whatever kind, are in
// motion_*.go and lifting.go.
//
// The other files are what terms are made with. An entry of a configuration is checked (entry.go, parameters.go),
// found in the table (table.go) and bound to a robot (robot.go) by a [Binder], which selects objects (select.go) and
// quantities (quantity.go, quantity_list.go). What is bound becomes a [Plan] (plan.go), which a task runs with a
// [View] of a world.
//
// # How to add a term
//
// A term is one small function and a row of the list of its kind; CONTRIBUTING.md has an example. The function
// resolves names once, through the [Binder], and returns a closure that is called for every world and control step.
// Its second argument holds the parameters: a struct with yaml tags, whose fields have comments with their units and
// tags "want" with their bounds; the table has the defaults. If it has a method checkKeys, that is called when the
// configuration is read; what depends on the model is checked while binding, with [Binder.Fail]. The comments of the
// function and of the fields become the term's section of its page in docs/reference/terms: TestPage -update writes it.
//
// An event that changes a constant of the scene, such as a mass, is no function but a row of the table of fields,
// whose comment is its section: the array of the model and its bounds, which objects have it, and what is drawn.
//
// Closures must not allocate, and must depend on nothing but the view: a task has many worlds and goroutines. What a
// world must remember lies in slots ([Binder.Memory]), which are zero when an episode begins. Draws come from the
// generator that an event or a command is given, or from [View.Draw]. Write float64(x*y) + z where Go might fuse the
// two operations.
package terms
