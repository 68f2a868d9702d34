// Package folder reads and writes the folder of one table: Arrow streams, the journal that acknowledges their messages,
// and the two files that make the folder loadable by Hugging Face datasets. A folder with state.json is complete.
package folder
