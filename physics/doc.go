// Package physics says what the simulation needs of a physics engine.
//
// A [Model] is compiled once and never changes; any number of goroutines may read it. The moving part of a world is a
// row of numbers, its state, kept outside the engine in [Rows], which belong to one block of worlds. A [Stepper] is
// the engine's working memory: each worker has one, and it advances whichever rows it is handed, in one call for a
// whole block. Because a row is the entire input of a step, the result cannot depend on the worker.
//
// Engines live in sub-packages (physics/mujoco, physics/pointmass); each must pass the suite in physics/physicstest.
package physics
