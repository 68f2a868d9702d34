package cli

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/settings"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

var update = flag.Bool("update", false, "write docs/reference/commands.md")

const commandsPage = "../docs/reference/commands.md"

// TestCommandsPage compares docs/reference/commands.md with the help of the commands. With -update it writes the page.
func TestCommandsPage(t *testing.T) {
	polytest.SamePage(t, *update, commandsPage, commands(), "go test ./cli -run TestCommandsPage -update")
}

const commandsHead = `# Commands

<!-- Generated from the help of the commands by go test ./cli -run TestCommandsPage -update. Do not edit. -->

The program is ~train~. ~bench~ is ~train bench~ as a program of its own. ~--help~ after any command prints what stands here.

Each command also takes the flags of the [settings](settings.md) that all have, and ~--cpuprofile FILE~, which writes a CPU profile.
~train --version~ prints the version, and ~train completion bash~ (zsh, fish, powershell) a script that completes commands and flags.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | failed |
| 2 | wrong usage or configuration |
| 130 | interrupted, with all files closed |

Results go to the standard output. Progress, notes and errors go to the standard error. An error is one line.

Ctrl-C, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 end a command within two seconds. SIGHUP does not where it is ignored, as by ~nohup~.
`

// guides names the pages that explain a command.
var guides = map[string]string{
	"demo":          "../start/see-a-robot.md",
	"new":           "../tutorials/your-robot.md",
	"check":         "../tutorials/your-robot.md",
	"schema":        "configuration/index.md",
	"settings":      "settings.md",
	"run":           "../start/first-training.md",
	"eval":          "../start/first-training.md",
	"rollout":       "../start/first-training.md",
	"runs":          "../how-to/keep-runs.md",
	"compare":       "../how-to/keep-runs.md",
	"rm":            "../how-to/keep-runs.md",
	"serve":         "../how-to/live-server.md",
	"decisions":     "../how-to/slow-minds.md",
	"export":        "../how-to/export.md",
	"replay":        "../how-to/replay.md",
	"regenerate":    "../how-to/replay.md",
	"distill":       "../how-to/distill.md",
	"clone":         "../how-to/clone.md",
	"actuator":      "../how-to/gains-and-actuators.md",
	"verify":        "../evidence/results.md",
	"render":        "../how-to/render.md",
	"motion":        "../how-to/motions.md",
	"sweep":         "../how-to/seeds-and-sweeps.md",
	"exam":          "../how-to/exam.md",
	"label":         "../tutorials/dataset-to-policy.md",
	"export-policy": "../how-to/deploy.md",
	"export-scene":  "../how-to/scene-in-other-programs.md",
	"terrain":       "../how-to/rough-ground.md",
	"merge":         "../how-to/sliced-rollouts.md",
	"recover":       "../how-to/recover.md",
	"play":          "../tutorials/rates-and-time.md",
	"order":         "../tutorials/rates-and-time.md",
	"timeline":      "../tutorials/rates-and-time.md",
	"bench":         "../how-to/benchmark.md",
}

// commands returns the page.
func commands() string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(commandsHead, "~", "`"))
	train := newTrain("train")
	shared := pflag.NewFlagSet("", pflag.ContinueOnError)
	settings.AddFlags(shared)
	writeFlags(&b, shared)
	b.WriteString("\n| command | what it does |\n|---|---|\n")
	for _, group := range commandGroups {
		fmt.Fprintf(&b, "| **%s** | |\n", group.title)
		for _, cmd := range group.commands() {
			if !cmd.Hidden {
				fmt.Fprintf(&b, "| [`train %s`](#train-%[1]s) | %s |\n", cmd.Name(), plain(cmd.Short))
			}
		}
	}
	for _, cmd := range train.Commands() {
		if cmd.Hidden {
			continue
		}
		long := cmd.Long
		if long == "" {
			long = cmd.Short + "."
		}
		fmt.Fprintf(&b, "\n## train %s\n\n%s\n", cmd.Name(), plain(strings.TrimSpace(long)))
		if guide := guides[cmd.Name()]; guide != "" {
			fmt.Fprintf(&b, "\nSee [the page about it](%s).\n", guide)
		}
		fmt.Fprintf(&b, "\n```text\n%s\n```\n", cmd.UseLine())
		if cmd.Example != "" {
			lines := strings.Split(strings.TrimSpace(cmd.Example), "\n")
			for i, line := range lines {
				lines[i] = strings.TrimPrefix(line, "  ")
			}
			fmt.Fprintf(&b, "\n```sh\n%s\n```\n", strings.Join(lines, "\n"))
		}
		writeFlags(&b, cmd.LocalFlags())
	}
	return b.String()
}

// writeFlags writes a table of flags.
func writeFlags(b *strings.Builder, flags *pflag.FlagSet) {
	head := "\n| flag | what it does | default |\n|---|---|---|\n"
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := strings.TrimSpace("--" + f.Name + " " + value)
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, "%s| `%s` | %s | %s |\n", head, strings.ReplaceAll(name, "|", `\|`), plain(usage), defaultOf(f))
		head = ""
	})
}

// defaultOf returns the default of a flag as the help shows it; "" for nothing.
func defaultOf(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "0s", "false", "[]":
		return ""
	}
	if f.Name == "workers" {
		return "one per CPU"
	}
	return "`" + strings.ReplaceAll(f.DefValue, "|", `\|`) + "`"
}

// plain returns a text in which no sign means anything in Markdown.
func plain(text string) string {
	return strings.NewReplacer("*", `\*`, "<", `\<`, "[", `\[`, "|", `\|`, "`", "\\`").Replace(text)
}
