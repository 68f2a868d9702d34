package runners

// Jump moves the cursor over whole steps of a runner: to the boundary that
// follows the runner's newest by that many, without the instants in between. It
// is an error, and the cursor stays, when the clock ends before or nothing fires
// there.
func (c *Cursor) Jump(id ID, steps int64) error {
	to, err := c.s.Resume(c.anchor, id, c.boundaryOf(id)+steps)
	if err != nil {
		return err
	}
	*c = to
	return nil
}
