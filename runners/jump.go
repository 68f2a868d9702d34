package runners

// Jump moves the cursor forward by a number of steps of a runner, counted from the
// runner's latest boundary, and passes over the instants in between. It returns an
// error, and leaves the cursor unchanged, when the clock ends first or no enabled
// runner fires there.
func (c *Cursor) Jump(id ID, steps int64) error {
	to, err := c.s.Resume(c.anchor, id, c.boundaryOf(id)+steps)
	if err != nil {
		return err
	}
	*c = to
	return nil
}
