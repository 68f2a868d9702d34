// Package cast takes pictures of a model's scene by casting rays: colour, depth, segmentation and normals from one cast for
// sensors, see [Open], and clips for people, see [NewRenderer].
//
// Rays are cast by Embree 3, which is opened at run time (Debian's libembree3-3), so that only who
// takes pictures needs it; exact shapes that move are looked for in the pixels where they can be.
// Planes and the shapes between sphere and box are exact; meshes and height fields are triangles,
// lit by the normals of their vertices. Light is that of OpenGL's fixed pipeline, but in each pixel: from everywhere,
// from the camera, and from lamps whose light other shapes block, with highlights. The same rays measure distances, for
// scans.
//
// Casters share what does not change, whatever model and goroutine they are of: meshes that do not bend, with their trees,
// and textures. They are found by their contents, and the last caster that is closed frees them.
//
// Whatever a camera is in the middle of it does not see, and surfaces only from outside, as with
// OpenGL.
//
// # Bits
//
// A picture is a function of the pose alone. It does not depend on what was cast before, nor on
// how many casters there are. Embree has kernels for each kind of processor, which round in
// different ways: pictures have the same bits on processors with the same instruction sets.
package cast
