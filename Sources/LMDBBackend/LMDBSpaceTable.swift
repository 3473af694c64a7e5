internal import OrderedEngine

/// Which handle of the library stands for which space: a fixed table, replaced by a larger one
/// when spaces are added.
///
/// A space is a named database, `s` and the number of the space in eight hexadecimal digits.
/// Handles are opened once and kept until the environment is closed.
package final class LMDBSpaceTable: Sendable {
  /// A handle of the library, `MDB_dbi`; 0 is never one of a space.
  typealias Handle = UInt32

  /// Spaces below this are looked up in an array, the others in a dictionary.
  private static let denseLimit: Space = 4096

  private let dense: [Handle]
  private let sparse: [Space: Handle]
  /// How many spaces are known.
  let count: Int

  static let empty = LMDBSpaceTable(dense: [], sparse: [:], count: 0)

  private init(dense: [Handle], sparse: [Space: Handle], count: Int) {
    self.dense = dense
    self.sparse = sparse
    self.count = count
  }

  /// The handle of a space; 0 when there is none.
  @inline(__always)
  func handle(of space: Space) -> Handle {
    if Int(space) < dense.count { return dense[Int(space)] }
    return sparse.isEmpty ? 0 : sparse[space] ?? 0
  }

  /// The table with more spaces.
  func adding(_ handles: [(space: Space, handle: Handle)]) -> LMDBSpaceTable {
    var dense = dense
    var sparse = sparse
    var count = count
    for (space, handle) in handles where self.handle(of: space) == 0 {
      if space < Self.denseLimit {
        while dense.count <= Int(space) { dense.append(0) }
        dense[Int(space)] = handle
      } else {
        sparse[space] = handle
      }
      count += 1
    }
    return LMDBSpaceTable(dense: dense, sparse: sparse, count: count)
  }

  /// The name of a space's database.
  static func name(of space: Space) -> String {
    let digits = String(space, radix: 16)
    return "s" + String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// The bytes of that name.
  static func withName<R>(
    of space: Space, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    try withUnsafeTemporaryAllocation(byteCount: 9, alignment: 1) { name in
      name[0] = UInt8(ascii: "s")
      for place in 1...8 {
        let digit = UInt8(truncatingIfNeeded: space >> UInt32(4 * (8 - place))) & 15
        name[place] = digit < 10 ? digit + 48 : digit + 87
      }
      return try body(UnsafeRawBufferPointer(name))
    }
  }

  /// The space a name stands for; nil when it is not one of ours.
  static func space(named name: UnsafeRawBufferPointer) -> Space? {
    guard name.count == 9, name[0] == UInt8(ascii: "s") else { return nil }
    var space: Space = 0
    for digit in name.dropFirst() {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): space = space << 4 | Space(digit - 48)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): space = space << 4 | Space(digit - 87)
      default: return nil
      }
    }
    return space
  }
}
