internal import ORMStorage

/// What was lowered before, so that a question asked again with other values is not checked,
/// normalized and looked up again: its shape is at hand, and its values are put in their places.
///
/// One for a model of a store. It answers exactly what lowering would: a question is kept only where
/// which value goes where was found out, and cannot hang on the values (``PreparedBindings``).
final class RequestCache: Sendable {
  /// What is known of one signature.
  final class Entry: Sendable {
    let signature: [UInt8]
    /// The shape and how it is bound; nil where each request must be lowered.
    let prepared: (shape: FetchShape, bindings: PreparedBindings)?

    init(
      _ signature: ShapeSignature, _ prepared: (shape: FetchShape, bindings: PreparedBindings)?
    ) {
      self.signature = Array(signature.bytes)
      self.prepared = prepared
    }
  }

  /// How many places there are, a power of two; each question may stand in two of them.
  private static let places = 256

  private let entries = Lock([Entry?](repeating: nil, count: places))

  /// What is known of a signature.
  func entry(for signature: borrowing ShapeSignature) -> Entry? {
    let place = Int(truncatingIfNeeded: signature.hash) & (Self.places - 1)
    let bytes = signature.bytes
    return entries.withLock { entries in
      if let entry = entries[place], bytes.isWhole(entry.signature) { return entry }
      if let entry = entries[place ^ 1], bytes.isWhole(entry.signature) { return entry }
      return nil
    }
  }

  /// Keeps what is known, in place of what was kept there before another.
  func keep(_ entry: Entry, for signature: borrowing ShapeSignature) {
    let place = Int(truncatingIfNeeded: signature.hash) & (Self.places - 1)
    entries.withLock { entries in
      entries[place ^ 1] = entries[place]
      entries[place] = entry
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
