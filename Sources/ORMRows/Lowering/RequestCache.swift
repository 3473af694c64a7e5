internal import ORMStorage

/// A cache of lowered requests, by their signatures.
///
/// A request that is repeated with other values is not checked, normalized and looked up again: its
/// shape is cached, and its values are put into the slots.
///
/// There is one cache for each model of a store.
final class RequestCache: Sendable {
  /// The cached result of lowering the requests of one signature.
  final class Entry: Sendable {
    let signature: [UInt8]
    /// The lowered request without values; nil if each request must be lowered with its values.
    let template: RequestTemplate?

    init(_ signature: borrowing ShapeSignature, _ template: RequestTemplate?) {
      self.signature = Array(signature.bytes)
      self.template = template
    }
  }

  /// The number of positions, a power of two; each request has two possible positions.
  private static let slotCount = 256

  private let entries = Lock([Entry?](repeating: nil, count: slotCount))

  /// Returns the entry of a signature; nil if there is none.
  func entry(for signature: borrowing ShapeSignature) -> Entry? {
    let slot = Int(truncatingIfNeeded: signature.hash) & (Self.slotCount - 1)
    let bytes = signature.bytes
    return entries.withLock { entries in
      if let entry = entries[slot], bytes.isWhole(entry.signature) { return entry }
      if let entry = entries[slot ^ 1], bytes.isWhole(entry.signature) { return entry }
      return nil
    }
  }

  /// Stores an entry, replacing the older one of two in its set.
  func keep(_ entry: Entry, for signature: borrowing ShapeSignature) {
    let slot = Int(truncatingIfNeeded: signature.hash) & (Self.slotCount - 1)
    entries.withLock { entries in
      entries[slot ^ 1] = entries[slot]
      entries[slot] = entry
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns whether these bytes are all of it.
  @inline(__always)
  fileprivate func isWhole(_ bytes: [UInt8]) -> Bool {
    count == bytes.count && holds(bytes, at: 0)
  }
}
