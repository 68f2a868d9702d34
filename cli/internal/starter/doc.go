// Package starter writes the first configuration of a robot: from the description of a compiled model to
// commented YAML that runs at once. It chooses by what the model is (legs, an arm, anything else) and adds
// what it lacks: a floor, light, actuators, a pose to start from. It knows no engine beyond the description.
package starter
