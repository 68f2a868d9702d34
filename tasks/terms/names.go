package terms

import "fmt"

// axisSuffixes are the suffixes of the names of vectors.
var axisSuffixes = []string{"_x", "_y", "_z"}

// labels puts a prefix and a suffix around names.
func labels(prefix string, names []string, suffix string) []string {
	var list []string
	for _, name := range names {
		list = append(list, prefix+name+suffix)
	}
	return list
}

// indexLabels are the names of the n values of a vector.
func indexLabels(name string, n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%s[%d]", name, i))
	}
	return names
}

// jointNames returns the names of joints.
func (b *Binder) jointNames(joints []int) []string {
	var names []string
	for _, j := range joints {
		names = append(names, b.Robot.Joints[j].Name)
	}
	return names
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
