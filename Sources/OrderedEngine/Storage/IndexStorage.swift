internal import ORMStorage

/// The storage of one index, with an entry for each row, or for each distinct element.
///
/// The key of an entry is the terms and then the primary key; its value is empty.
///
/// The primary key runs in the direction of the last term, so that an index read in either
/// direction gives the one order that sorts by its terms mean.
final class IndexStorage: Sendable {
  /// The index, its columns counted in the file's.
  let index: StoredIndex
  /// The keyspace of the entries.
  let keyspace: Keyspace
  /// The terms.
  let terms: [KeyTerm]
  /// The primary key as it follows the terms.
  let suffix: KeyShape
  /// Both, as an entry's key has them.
  let keyTerms: [KeyTerm]
  /// The form in which entries longer than the map's keys are stored.
  let overflowKeys: OverflowKeys
  /// True if the entries are the elements of an array.
  let hasElements: Bool
  /// True if the primary key is stored with its bits inverted.
  let isSuffixDescending: Bool
  /// The work on the index while it is being built; nil for a finished one.
  let work: IndexWork?

  init(
    _ index: StoredIndex, in keyspace: Keyspace, layout: RecordLayout, key: KeyShape,
    overflowKeys: OverflowKeys, work: IndexWork? = nil
  ) {
    self.index = index
    self.work = work
    self.keyspace = keyspace
    terms = index.terms.map { term in
      KeyTerm(
        layout.fields[term.column], of: layout.entity.columns[term.column], form: term.form,
        isDescending: term.isDescending)
    }
    let isDescending = index.terms.last?.isDescending ?? false
    isSuffixDescending = isDescending
    suffix = KeyShape(key.terms.map { $0.directed(descending: isDescending) })
    keyTerms = terms + suffix.terms
    hasElements = index.terms.contains { $0.form == .elements }
    self.overflowKeys = overflowKeys.fitting(KeyShape(keyTerms))
  }

  /// Returns the offset of the primary key in an entry's key; nil when the bytes are no entry.
  @inline(__always)
  func suffixStart(in entry: UnsafeRawBufferPointer) -> Int? {
    if let width = suffix.width { return entry.count >= width ? entry.count - width : nil }
    return parsedSuffixStart(in: entry)
  }

  @inline(never)
  private func parsedSuffixStart(in entry: UnsafeRawBufferPointer) -> Int? {
    var decoder = KeyDecoder(entry)
    for term in terms where !decoder.skip(term) { return nil }
    return decoder.position
  }

  /// The primary key of the row that an entry belongs to, if its bytes are those of the row's key;
  /// nil if they are not, or the bytes are no entry.
  @inline(__always)
  func plainPrimaryKey(of entry: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard !isSuffixDescending, let start = suffixStart(in: entry), let base = entry.baseAddress
    else { return nil }
    return UnsafeRawBufferPointer(start: base + start, count: entry.count &- start)
  }

  /// Calls `body` with the primary key of the row that an entry belongs to, in the form of the
  /// row's key; nil when the bytes are no entry.
  @inline(__always)
  func withPrimaryKey<R>(
    of entry: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R? {
    guard let start = suffixStart(in: entry) else { return nil }
    let bytes = UnsafeRawBufferPointer(rebasing: entry[start...])
    guard isSuffixDescending else { return try body(bytes) }
    return try withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 8) { turned in
      for offset in bytes.indices { turned[offset] = ~bytes[offset] }
      return try body(UnsafeRawBufferPointer(turned))
    }
  }
}

extension OverflowKeys {
  /// Returns these rules, or ones without a limit if keys of this shape are never long, which cost less.
  func fitting(_ shape: KeyShape) -> OverflowKeys {
    if let width = shape.maximumWidth, width <= plainLimit { return OverflowKeys(limit: .max) }
    return self
  }
}
