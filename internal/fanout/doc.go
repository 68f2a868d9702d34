// Package fanout measures how soon the clients of a live world have its frames and answers:
// a server and its clients in processes of their own, beside those of a peer, in rounds
// that take turns.
package fanout
