// Package settings has the settings of the programs: what a user, a project or a machine prefers for every command.
//
//	default < file of the user < file of the project < variable < flag
//
// The file of the user is polyrhythm/config.yaml in the folder that XDG_CONFIG_HOME names, by default ~/.config. That
// of the project is polyrhythm.yaml in the working folder. Library viper finds which layer a value comes from. It
// folds keys and takes what it does not understand for nothing, so each layer is decoded strictly before viper has it.
//
// What a run computes is not a setting but its configuration, see package configs. The one setting that changes bits
// is the kernel of OpenBLAS, which the reports and logs of runs name.
package settings
