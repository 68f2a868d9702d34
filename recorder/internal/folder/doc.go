// Package folder reads and writes the folder of one table: Arrow streams, the journal that acknowledges their messages, and the
// two files that make the folder loadable by Hugging Face datasets.
//
//	data-00000-of-00002.arrow …      the streams; data-00000.arrow.part while they are written
//	data.journal                     one line per message of them
//	dataset_info.json, state.json    what load_from_disk reads; state.json is written last, so a folder with it is complete
package folder
