package mujoco

// #include "contact.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// Contact is a contact of two geoms.
type Contact struct {
	Geoms    [2]int  // IDs; −1 for what is no geom, such as a flexible body
	Distance float64 // m, negative where they overlap
}

// maxContacts is the largest number of contacts that Contacts returns.
const maxContacts = 4096

// Contacts returns the contacts of a state row, at most 4096. It may be called from any
// goroutine; it takes the memory and the time of a step.
func (m *Model) Contacts(row []float64) ([]Contact, error) {
	if len(row) != m.stateSize {
		return nil, fmt.Errorf("mujoco: the state has %d values, want %d", len(row), m.stateSize)
	}
	var message [C.PR_MESSAGE]C.char
	found := make([]C.pr_Contact, maxContacts)
	n := C.int(0)
	if C.pr_contacts(m.c, (*C.double)(unsafe.SliceData(row)), unsafe.SliceData(found), maxContacts, &n, &message[0]) != 0 {
		return nil, errors.New("mujoco: " + oneLine(&message[0]))
	}
	list := make([]Contact, min(int(n), maxContacts))
	for i := range list {
		list[i] = Contact{[2]int{int(found[i].geom[0]), int(found[i].geom[1])}, float64(found[i].distance)}
	}
	return list, nil
}
