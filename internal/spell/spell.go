// Package spell finds the known name nearest to a misspelt one.
package spell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the name in known at the least [Distance] from word. Of several that are equally near it is the one
// with the same letters in another order, and else the first. It panics if known is empty.
func Nearest(word string, known []string) string {
	far := func(name string) int { // two for each edit, so that a swap of letters comes before others
		if slices.Equal(letters(word), letters(name)) {
			return 2*Distance(word, name) - 1
		}
		return 2 * Distance(word, name)
	}
	return slices.MinFunc(known, func(a, b string) int { return cmp.Compare(far(a), far(b)) })
}

// Near reports whether one word can be a misspelling of the other: two fifths of its letters
// differ at most, or they are only in another order.
func Near(a, b string) bool {
	edits := max(1, 2*max(len(a), len(b))/5)
	if slices.Equal(letters(a), letters(b)) {
		edits = max(2, edits)
	}
	return Distance(a, b) <= min(edits, min(len(a), len(b))-1)
}

// Meant returns the known name that a word can be a misspelling of, the nearest; "" if there is none.
func Meant(word string, known []string) string {
	if len(known) > 0 {
		if nearest := Nearest(word, known); Near(word, nearest) {
			return nearest
		}
	}
	return ""
}

func letters(word string) []rune { return slices.Sorted(slices.Values([]rune(strings.ToLower(word)))) }

// most is how many names [Hint] lists.
const most = 12

// Hint ends the error of a word that is not known, which wants one of the known ones: with the nearest
// if that can be meant, and else with all, or the first of many.
func Hint(word string, known []string) string {
	if len(known) == 0 {
		return "; there is none"
	}
	if meant := Meant(word, known); meant != "" {
		return "; did you mean " + meant + "?"
	}
	rest := ""
	if len(known) > most {
		rest = fmt.Sprintf(" and %d more", len(known)-most)
	}
	return ", want one of " + strings.Join(known[:min(len(known), most)], ", ") + rest
}

// Distance returns the Levenshtein distance of two words, without regard to case.
func Distance(a, b string) int {
	return levenshtein.ComputeDistance(strings.ToLower(a), strings.ToLower(b))
}

// names are the names of settings here, by those of other programs: Gymnasium,
// Stable-Baselines3, CleanRL, RSL-RL, RLlib, Isaac Lab.
var names = map[string]string{
	"num_envs": "worlds", "n_envs": "worlds", "num_environments": "worlds", "num_env_runners": "workers",
	"num_workers": "workers", "num_threads": "workers", "n_jobs": "workers", "random_seed": "seed",
	"max_episode_steps": "max_steps", "episode_length": "max_steps", "horizon": "max_steps",
	"autoreset_mode": "autoreset", "lr": "learning_rate", "alpha": "learning_rate", "lr_schedule": "schedule",
	"total_timesteps": "steps", "max_iterations": "steps", "n_steps": "segment", "num_steps": "segment",
	"num_steps_per_env": "segment", "rollout_length": "segment", "rollout_fragment_length": "segment",
	"batch_size": "minibatch", "minibatch_size": "minibatch", "num_mini_batches": "minibatch",
	"num_minibatches": "minibatch", "n_epochs": "epochs", "num_epochs": "epochs", "update_epochs": "epochs",
	"num_learning_epochs": "epochs", "discount": "gamma", "gae_lambda": "lambda", "lam": "lambda", "lambda_": "lambda",
	"clip_range": "clip", "clip_coef": "clip", "clip_param": "clip", "clip_vloss": "clip_value",
	"clip_range_vf": "clip_value", "vf_coef": "value_weight", "vf_loss_coeff": "value_weight",
	"value_loss_coef": "value_weight", "ent_coef": "entropy", "entropy_coef": "entropy", "entropy_coeff": "entropy",
	"grad_clip": "max_grad_norm", "desired_kl": "target_kl", "kl_target": "target_kl", "net_arch": "hidden",
	"hidden_sizes": "hidden", "hidden_dims": "hidden", "fcnet_hiddens": "hidden", "actor_hidden_dims": "policy_hidden",
	"critic_hidden_dims": "critic_hidden", "activation_fn": "activation", "init_noise_std": "initial_std",
	"log_std_init": "initial_std", "norm_obs": "normalise_observations", "norm_adv": "normalise_advantages",
	"norm_reward": "scale_rewards", "save_freq": "checkpoint_every", "save_interval": "checkpoint_every",
	"eval_freq": "every", "n_eval_episodes": "episodes", "frame_skip": "substeps", "decimation": "substeps",
	"xml_file": "model", "episode_length_s": "episode",
}

// Translate returns the name that a setting has here, by one that it has elsewhere; the name itself if it has none.
func Translate(name string) string {
	if known, ok := names[strings.ToLower(name)]; ok {
		return known
	}
	return name
}
