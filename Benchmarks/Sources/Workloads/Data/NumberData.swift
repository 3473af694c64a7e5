/// A row of ten integers, its key among them.
package struct NumberData: Sendable {
  package var id: Int64
  package var a: Int64
  package var b: Int64
  package var c: Int64
  package var d: Int64
  package var e: Int64
  package var f: Int64
  package var g: Int64
  package var h: Int64
  package var i: Int64

  package init(
    id: Int64, a: Int64, b: Int64, c: Int64, d: Int64, e: Int64, f: Int64, g: Int64, h: Int64,
    i: Int64
  ) {
    self.id = id
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
    self.f = f
    self.g = g
    self.h = h
    self.i = i
  }

  /// Row `id` of the data, the same in every run: numbers of one to eight bytes.
  package init(id: Int64) {
    let mixed = Int64(bitPattern: UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15)
    self.init(
      id: id, a: mixed, b: mixed >> 8, c: mixed >> 16, d: mixed >> 24, e: mixed >> 32,
      f: mixed >> 40, g: mixed >> 48, h: mixed >> 56, i: id &* 3)
  }

  /// A number that depends on every field, to compare contestants' results by.
  package var checksum: Int {
    Int(id &+ a &+ b &* 3 &+ c &* 5 &+ d &* 7 &+ e &* 11 &+ f &* 13 &+ g &* 17 &+ h &* 19 &+ i)
  }
}
