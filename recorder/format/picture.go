package format

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// A column with a Width holds pictures: in rows their pixels, row by row from the top left, in files PNG, which loses
// nothing, as Hugging Face's feature Image. A PNG has the four bytes of a float32, the lowest first, as red, green, blue and
// alpha.

// pictureType is the Arrow type of Hugging Face's feature Image.
var pictureType = arrow.StructOf(
	arrow.Field{Name: "bytes", Type: arrow.BinaryTypes.Binary, Nullable: true},
	arrow.Field{Name: "path", Type: arrow.BinaryTypes.String, Nullable: true},
)

// Channels returns the values of a pixel: 3 (red, green and blue of 8 bits) or 1 (grey of 16 bits, or a float32).
func (c *Column) Channels() int {
	if c.Kind == Uint8 {
		return 3
	}
	return 1
}

// Height returns the pixels of a picture from top to bottom.
func (c *Column) Height() int { return c.Len / (c.Width * c.Channels()) }

// checkPicture returns an error unless the column holds pictures of a size if it says so.
func (c *Column) checkPicture() error {
	pixels := c.Kind == Uint8 || c.Kind == Uint16 // float32s are in columns that store pictures of lists alone
	if pixels != (c.Width > 0) {
		return fmt.Errorf("its width is %d and its kind %v, want a width if it is uint8 or uint16", c.Width, c.Kind)
	}
	if pixels && (c.Len < 1 || c.Len%(c.Width*c.Channels()) != 0) {
		return fmt.Errorf("it has %d values of pictures %d pixels wide, want whole rows of them", c.Len, c.Width)
	}
	return nil
}

// huggingFace describes the pictures of a table as its features, "" without any; load_from_disk finds the other
// features in the schema.
func (t *Table) huggingFace() string {
	features := map[string]any{}
	for _, c := range t.Columns {
		if c.Width > 0 && c.Kind != Float32 { // an image of these shows nothing
			features[c.Name] = map[string]string{"_type": "Image"}
		}
	}
	if len(features) == 0 {
		return ""
	}
	text, err := json.Marshal(map[string]any{"info": map[string]any{"features": features}})
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(text)
}

// PictureColumn returns a column of a kind of pictures: 8 bits of [physics.RGB]; 16 bits of [physics.Depth],
// millimetres or 0 for nothing and beyond 65.535 m, and of [physics.Segmentation], the number and 1 or 0 for nothing; and
// 8 bits of [physics.Normals], see [NormalByte].
func PictureColumn(name, kind string, width, height int) Column {
	column := Column{Name: name, Kind: Uint16, Width: width, Len: width * height, Nullable: true, Source: "camera"}
	switch kind {
	case physics.RGB:
		column.Kind, column.Len, column.Description = Uint8, 3*column.Len, "red, green and blue"
	case physics.Depth:
		column.Unit, column.Description = "mm", "depth along the axis of view; 0 for nothing, and beyond 65.535 m"
	case physics.Segmentation:
		column.Description = "number of what is seen and 1; 0 for nothing"
	case physics.Normals:
		column.Kind, column.Len = Uint8, 3*column.Len
		column.Description = "normal in the optical frame: x, y and z, each (value - 128) / 127; 128 thrice for nothing"
	}
	return column
}

// Millimetres returns a depth in m as a picture holds it: 0 where nothing is seen, at far, and beyond 65.535 m.
func Millimetres(depth, far float64) uint16 {
	v := math.RoundToEven(depth * 1000)
	if !(depth < far) || !(v <= math.MaxUint16) || v < 0 {
		return 0
	}
	return uint16(v)
}

// NormalByte returns a value of a normal, -1 to 1, as a picture holds it: 128 and 127 times the value.
func NormalByte(value float64) byte { return byte(128 + math.RoundToEven(127*min(max(value, -1), 1))) }

// Pack writes values of pixels as a row has them: those of a kind are at values[0], values[stride] and so on, of RGB
// three each, 0 to 1; of Depth, m, with that of nothing, far; of Segmentation the number of the geom or -1; of Normals
// three each.
func Pack(pixels []byte, kind string, values []float64, stride int, far float64) {
	for p := 0; len(pixels) > 0; p += stride {
		switch kind {
		case physics.RGB:
			for _, v := range values[p : p+3] {
				pixels[0], pixels = byte(math.RoundToEven(255*min(max(v, 0), 1))), pixels[1:]
			}
		case physics.Normals:
			for _, v := range values[p : p+3] {
				pixels[0], pixels = NormalByte(v), pixels[1:]
			}
		case physics.Depth:
			binary.NativeEndian.PutUint16(pixels, Millimetres(values[p], far))
			pixels = pixels[2:]
		default:
			binary.NativeEndian.PutUint16(pixels, uint16(math.RoundToEven(min(max(values[p]+1, 0), math.MaxUint16))))
			pixels = pixels[2:]
		}
	}
}

// pngEncoder encodes pictures, and keeps its memory between them.
type pngEncoder struct {
	buffer *png.EncoderBuffer
	out    bytes.Buffer
	color  []byte
}

// Get and Put implement [png.EncoderBufferPool].
func (e *pngEncoder) Get() *png.EncoderBuffer  { return e.buffer }
func (e *pngEncoder) Put(b *png.EncoderBuffer) { e.buffer = b }

// encode returns the PNG file of a column's pixels.
func (e *pngEncoder) encode(c *Column, pixels []byte) []byte {
	bounds := image.Rect(0, 0, c.Width, c.Height())
	var picture image.Image
	e.color = e.color[:0]
	switch c.Kind {
	case Uint8:
		for i := 0; i < len(pixels); i += 3 {
			e.color = append(e.color, pixels[i], pixels[i+1], pixels[i+2], 255)
		}
		picture = &image.RGBA{Pix: e.color, Stride: 4 * c.Width, Rect: bounds}
	case Uint16:
		for i := 0; i < len(pixels); i += 2 {
			e.color = binary.BigEndian.AppendUint16(e.color, binary.NativeEndian.Uint16(pixels[i:]))
		}
		picture = &image.Gray16{Pix: e.color, Stride: 2 * c.Width, Rect: bounds}
	default:
		for i := 0; i < len(pixels); i += 4 {
			e.color = binary.LittleEndian.AppendUint32(e.color, binary.NativeEndian.Uint32(pixels[i:]))
		}
		picture = &image.NRGBA{Pix: e.color, Stride: 4 * c.Width, Rect: bounds}
	}
	e.out.Reset()
	encoder := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: e}
	if err := encoder.Encode(&e.out, picture); err != nil {
		panic(err) // memory takes all bytes, and the picture has the column's size
	}
	return bytes.Clone(e.out.Bytes())
}

// PNG returns the PNG file of a picture of column i in a row.
func (l *Layout) PNG(row []byte, i int) []byte {
	return new(pngEncoder).encode(&l.Columns[i], l.Bytes(row, i))
}

// DecodePicture writes the pixels of a PNG file to dst, as a row of the column has them.
func (c *Column) DecodePicture(dst, file []byte) error {
	header, err := png.DecodeConfig(bytes.NewReader(file))
	if err == nil && (header.Width != c.Width || header.Height != c.Height()) {
		err = fmt.Errorf("it is %d × %d, want %d × %d", header.Width, header.Height, c.Width, c.Height())
	}
	var picture image.Image
	if err == nil {
		picture, err = png.Decode(bytes.NewReader(file))
	}
	if err != nil {
		return fmt.Errorf("picture of column %q: %w", c.Name, err)
	}
	switch p := picture.(type) {
	case *image.RGBA:
		if c.Kind == Float32 { // all alphas are 255
			decodeFloats(dst, p.Pix)
			return nil
		}
		if c.Kind == Uint8 {
			for i := range len(dst) / 3 {
				copy(dst[3*i:3*i+3], p.Pix[4*i:])
			}
			return nil
		}
	case *image.NRGBA:
		if c.Kind == Float32 {
			decodeFloats(dst, p.Pix)
			return nil
		}
	case *image.Gray16:
		if c.Kind == Uint16 {
			for i := range len(dst) / 2 {
				binary.NativeEndian.PutUint16(dst[2*i:], binary.BigEndian.Uint16(p.Pix[2*i:]))
			}
			return nil
		}
	}
	return fmt.Errorf("picture of column %q: its pixels are %T, want those of a %v column", c.Name, picture, c.Kind)
}

// decodeFloats writes the float32s of a PNG's bytes to dst, as a row has them.
func decodeFloats(dst, pixels []byte) {
	for i := 0; i < len(dst); i += 4 {
		binary.NativeEndian.PutUint32(dst[i:], binary.LittleEndian.Uint32(pixels[i:]))
	}
}

// pictures returns the array of a column of pictures. They are encoded on several goroutines, to the same bytes.
func (b *Batch) pictures(column int) arrow.Array {
	c, rows := &b.layout.Columns[column], b.rows
	cells, size := &b.columns[column], c.Len*c.Kind.Size()
	files := make([][]byte, rows)
	eachPicture(rows, func() func(int) {
		e := &pngEncoder{}
		return func(row int) {
			if cells.valid == nil || cells.valid[row>>3]&(1<<(row&7)) != 0 { // nil: it is never null
				files[row] = e.encode(c, cells.values[row*size:][:size])
			}
		}
	})
	builder := array.NewStructBuilder(memory.DefaultAllocator, pictureType)
	defer builder.Release()
	for _, file := range files {
		if file == nil {
			builder.AppendNull()
			continue
		}
		builder.Append(true)
		builder.FieldBuilder(0).(*array.BinaryBuilder).Append(file)
		builder.FieldBuilder(1).AppendNull()
	}
	return builder.NewArray()
}

// appendPictures writes the pixels of an array of pictures to rows.
func (l *Layout) appendPictures(rows []byte, column int, values arrow.Array) error {
	pictures, ok := values.(*array.Struct)
	if !ok || pictures.NumField() == 0 {
		return fmt.Errorf("column %q is %v, want pictures", l.Columns[column].Name, values.DataType())
	}
	files, ok := pictures.Field(0).(*array.Binary)
	if !ok {
		return fmt.Errorf("column %q is %v, want pictures", l.Columns[column].Name, values.DataType())
	}
	errs := make([]error, values.Len())
	eachPicture(len(errs), func() func(int) {
		return func(r int) {
			if values.IsNull(r) {
				return
			}
			row := rows[r*l.Stride:][:l.Stride]
			row[column>>3] |= 1 << (column & 7)
			errs[r] = l.Columns[column].DecodePicture(l.Bytes(row, column), files.Value(r))
		}
	})
	return cmp.Or(errs...)
}

// eachPicture calls, on several goroutines, what worker returns to each with the numbers of pictures.
func eachPicture(pictures int, worker func() func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), pictures) {
		group.Go(func() {
			f := worker()
			for i := int(next.Add(1) - 1); i < pictures; i = int(next.Add(1) - 1) {
				f(i)
			}
		})
	}
	group.Wait()
}
