/// A numbering of texts by their bytes, in the order of their first use.
///
/// A table of open addresses over one run of bytes: no text becomes an object to be looked up.
struct TextPositions {
  private var bytes: [UInt8] = []
  /// The end offset of each text in `bytes`.
  ///
  /// A number that was skipped has no bytes and is not in the table.
  private var ends: [Int] = []
  /// Numbers from 1, and 0 for an empty slot; a power of two of them.
  private var slots: [UInt32] = Array(repeating: 0, count: 16)
  private var hashes: [UInt64] = []
  private var skipped: Int?

  /// The number of a text that has one.
  func known(_ text: UnsafeRawBufferPointer) -> Int? { find(text, Self.hash(text)).position }

  private func find(
    _ text: UnsafeRawBufferPointer, _ hash: UInt64
  ) -> (slot: Int, position: Int?) {
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let position = Int(slots[slot]) - 1
      if hashes[position] == hash, isEqual(position, text) { return (slot, position) }
      slot = (slot + 1) & (slots.count - 1)
    }
    return (slot, nil)
  }

  /// The number of a text, and whether it is new.
  mutating func position(of text: UnsafeRawBufferPointer) -> (position: Int, isNew: Bool) {
    let hash = Self.hash(text)
    let (slot, known) = find(text, hash)
    if let known { return (known, false) }
    bytes.append(contentsOf: text)
    ends.append(bytes.count)
    hashes.append(hash)
    slots[slot] = UInt32(truncatingIfNeeded: ends.count)
    if ends.count * 2 > slots.count { grow() }
    return (ends.count - 1, true)
  }

  /// Gives the next number to nothing, once.
  mutating func skip() {
    ends.append(bytes.count)
    hashes.append(0)
    skipped = ends.count - 1
  }

  private func isEqual(_ position: Int, _ text: UnsafeRawBufferPointer) -> Bool {
    let start = position == 0 ? 0 : ends[position - 1]
    guard ends[position] - start == text.count else { return false }
    return bytes[start..<ends[position]].elementsEqual(text)
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 2)
    for position in ends.indices where position != skipped {
      var slot = Int(truncatingIfNeeded: hashes[position]) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(truncatingIfNeeded: position + 1)
    }
  }

  /// The standard library's hash, seeded anew in each process.
  private static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: text)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }
}
