/// A number for every Unicode scalar, 0 for most: two array reads to look one up.
struct ScalarTable: Sendable {
  /// 128 scalars a block, the size of most small scripts' blocks.
  private static let shift: UInt32 = 7
  private static let size = 1 << Int(shift)

  /// The number of the block of each run of scalars in `cells`; block 0 is all zeros, and shared.
  private var blocks = [UInt16](repeating: 0, count: 0x11_0000 >> Int(shift))
  private var cells = [UInt16](repeating: 0, count: size)

  /// The number of a scalar, which must be below 0x110000.
  @inline(__always)
  subscript(scalar: UInt32) -> UInt16 {
    let block = Int(blocks[Int(scalar >> Self.shift)])
    return cells[block << Int(Self.shift) | Int(scalar) & (Self.size - 1)]
  }

  /// Calls `body` with each scalar whose number is not 0, in order.
  func forEachScalar(_ body: (UInt32) -> Void) {
    for number in blocks.indices where blocks[number] != 0 {
      let start = UInt32(number) << Self.shift
      for scalar in start..<start + UInt32(Self.size) where self[scalar] != 0 { body(scalar) }
    }
  }

  /// Changes the scalar's number.
  mutating func update(_ scalar: UInt32, _ change: (inout UInt16) -> Void) {
    let number = Int(scalar >> Self.shift)
    if blocks[number] == 0 {
      blocks[number] = UInt16(cells.count >> Int(Self.shift))
      cells.append(contentsOf: repeatElement(0, count: Self.size))
    }
    change(&cells[Int(blocks[number]) << Int(Self.shift) | Int(scalar) & (Self.size - 1)])
  }
}
