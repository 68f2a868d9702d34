package exam_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/training/exam"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
)

// A gate asks whether a policy may replace another one.
func Example() {
	folder, err := os.MkdirTemp("", "exam")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	candidate, err := policies.Open(policies.Zero)
	if err != nil {
		log.Fatal(err)
	}
	reference, err := policies.Open("builtin:halfcheetah")
	if err != nil {
		log.Fatal(err)
	}
	c, err := configs.Parse("preset", []byte(reference.Checkpoint().User), []string{"max_steps=50"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	p := exam.Default()
	p.Configuration, p.Candidate = string(c.YAML()), exam.SubjectOf(candidate)
	s, far := exam.SubjectOf(reference), 10.0
	p.Reference, p.Gate = &s, &exam.Gate{Margin: 0.05}
	p.Success = exam.Success{"return": {Min: &far}}
	report, _, err := exam.Run(context.Background(), p, exam.Options{Candidate: candidate, Reference: reference,
		Folder: filepath.Join(folder, "exam")})
	if err != nil {
		log.Fatal(err)
	}
	cell := report.Cells[0]
	fmt.Printf("%s: %d and %d of %d episodes\n", report.Verdict, cell.Candidate.Successes, cell.Reference.Successes,
		cell.Candidate.Episodes)
	// Output: fails: 0 and 50 of 50 episodes
}
