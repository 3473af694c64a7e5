internal import OrderedEngine

/// The handles of the library by their keyspaces: a fixed table, replaced by a larger one
/// when keyspaces are added.
///
/// A keyspace is a named database, `s` and the number of the keyspace in eight hexadecimal digits.
/// Handles are opened once and stay open until the environment is closed.
package final class LMDBKeyspaceTable: Sendable {
  /// A handle of the library, `MDB_dbi`; 0 is never one of a keyspace.
  typealias Handle = UInt32

  /// Keyspaces below this are looked up in an array, the others in a dictionary.
  private static let denseLimit: Keyspace = 4096

  private let dense: [Handle]
  private let sparse: [Keyspace: Handle]
  /// The number of keyspaces that are known.
  let count: Int

  static let empty = LMDBKeyspaceTable(dense: [], sparse: [:], count: 0)

  private init(dense: [Handle], sparse: [Keyspace: Handle], count: Int) {
    self.dense = dense
    self.sparse = sparse
    self.count = count
  }

  /// The handle of a keyspace; 0 when there is none.
  @inline(__always)
  func handle(of keyspace: Keyspace) -> Handle {
    if Int(keyspace) < dense.count { return dense[Int(keyspace)] }
    return sparse.isEmpty ? 0 : sparse[keyspace] ?? 0
  }

  /// The table with more keyspaces.
  func adding(_ handles: [(keyspace: Keyspace, handle: Handle)]) -> LMDBKeyspaceTable {
    var dense = dense
    var sparse = sparse
    var count = count
    for (keyspace, handle) in handles where self.handle(of: keyspace) == 0 {
      if keyspace < Self.denseLimit {
        while dense.count <= Int(keyspace) { dense.append(0) }
        dense[Int(keyspace)] = handle
      } else {
        sparse[keyspace] = handle
      }
      count += 1
    }
    return LMDBKeyspaceTable(dense: dense, sparse: sparse, count: count)
  }

  /// The name of a keyspace's database.
  static func name(of keyspace: Keyspace) -> String {
    let digits = String(keyspace, radix: 16)
    return "s" + String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// The bytes of that name.
  static func withName<R>(
    of keyspace: Keyspace, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    try withUnsafeTemporaryAllocation(byteCount: 9, alignment: 1) { name in
      name[0] = UInt8(ascii: "s")
      for i in 1...8 {
        let digit = UInt8(truncatingIfNeeded: keyspace >> UInt32(4 * (8 - i))) & 15
        name[i] = digit < 10 ? digit + 48 : digit + 87
      }
      return try body(UnsafeRawBufferPointer(name))
    }
  }

  /// The keyspace a name stands for; nil when it is not one of ours.
  static func keyspace(named name: UnsafeRawBufferPointer) -> Keyspace? {
    guard name.count == 9, name[0] == UInt8(ascii: "s") else { return nil }
    var keyspace: Keyspace = 0
    for digit in name.dropFirst() {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): keyspace = keyspace << 4 | Keyspace(digit - 48)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): keyspace = keyspace << 4 | Keyspace(digit - 87)
      default: return nil
      }
    }
    return keyspace
  }
}
