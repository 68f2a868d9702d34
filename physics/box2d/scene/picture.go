package scene

// Picture says how a renderer draws a scene. Physics does not depend on it. With the
// zero value the view is 20 m wide and follows the first body, in plain colours.
type Picture struct {
	Width, Height float64 // extent of the view, m, above and to the right of the origin

	// Follow is the body that the view moves with along x, and FollowX the distance of
	// its origin from the left edge, m; "": the view stays.
	Follow  string
	FollowX float64

	Sky     Color
	Soil    Color    // colour of the ground below edges
	Surface [2]Color // colours of edges of the ground, by turns
	Rock    Color    // colour of polygons of the ground

	Flags []Flag
}

// Color is an sRGB colour.
type Color struct{ R, G, B uint8 }

// Flag is a flag on a pole, for people.
type Flag struct {
	X, Y   float64 // coordinates of the foot of the pole, m
	Height float64 // m
	Color  Color
}
