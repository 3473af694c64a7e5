/// Orders two texts given as UTF-8, or any bytes, by code point: below 0, 0 or above 0 (clause 2.3).
///
/// That is the order of the bytes, with the shorter first on a tie. Swift's own `<` and `==` on `String`
/// go by canonical equivalence, so that `"é" == "e\u{301}"` is true, and must not be used for stored
/// texts.
package func compareUTF8(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
  ByteOrder.compare(a, b).rawValue
}
