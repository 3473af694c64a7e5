internal import ORMCore

/// The entries that one row has in one index: one, or one for each distinct element.
struct EntryList: ~Copyable {
  private var bytes = ByteBuffer()
  /// Where each entry begins, where its primary key does, and where it ends.
  private var items: [Item] = []
  /// Whether a unique rule does not apply, because a term is null.
  private(set) var isExempt = false

  private struct Item {
    var start: Int
    var suffix: Int
    var end: Int
  }

  mutating func clear() {
    bytes.truncate()
    items.removeAll(keepingCapacity: true)
    isExempt = false
  }

  /// Appends the entries of a row that is kept under a primary key.
  mutating func append(
    _ index: IndexStorage, of row: RecordView, key: UnsafeRawBufferPointer
  ) throws {
    guard !index.hasElements else { return try appendElements(index, of: row, key: key) }
    let start = bytes.count
    for term in index.terms {
      if term.isTagged && row.isNull(term.field) { isExempt = true }
      try bytes.append(term, of: row)
    }
    end(start, index, key)
  }

  private mutating func appendElements(
    _ index: IndexStorage, of row: RecordView, key: UnsafeRawBufferPointer
  ) throws {
    guard let term = index.terms.first, !row.isNull(term.field) else { return }
    for element in try row.array(term.field) {
      let start = bytes.count
      bytes.append(term, value: element)
      end(start, index, key)
    }
    let base = UnsafeRawPointer(bytes.base)
    func entry(_ item: Item) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: base + item.start, count: item.end - item.start)
    }
    items.sort { ByteOrder.compare(entry($0), entry($1)) == .less }
    var distinct: [Item] = []
    for item in items {
      if let last = distinct.last, entry(last).elementsEqual(entry(item)) { continue }
      distinct.append(item)
    }
    items = distinct
  }

  private mutating func end(
    _ start: Int, _ index: IndexStorage, _ key: UnsafeRawBufferPointer
  ) {
    let suffix = bytes.count
    bytes.append(key)
    if index.isSuffixDescending { bytes.complement(from: suffix) }
    items.append(Item(start: start, suffix: suffix, end: bytes.count))
  }

  /// Calls `body` with each entry and how many of its bytes come before the primary key.
  func forEach(_ body: (UnsafeRawBufferPointer, Int) throws -> Void) rethrows {
    for item in items {
      try body(bytes.bytes(from: item.start, to: item.end), item.suffix - item.start)
    }
  }

  private func entry(_ number: Int) -> UnsafeRawBufferPointer {
    bytes.bytes(from: items[number].start, to: items[number].end)
  }

  /// Takes out of two lists, each in order, what both have.
  static func removeShared(_ a: inout EntryList, _ b: inout EntryList) {
    guard !a.items.isEmpty && !b.items.isEmpty else { return }
    if a.items.count == 1 && b.items.count == 1 {
      guard a.entry(0).elementsEqual(b.entry(0)) else { return }
      a.items.removeAll(keepingCapacity: true)
      b.items.removeAll(keepingCapacity: true)
      return
    }
    var (keptA, keptB): ([Item], [Item]) = ([], [])
    var (i, j) = (0, 0)
    while i < a.items.count && j < b.items.count {
      switch ByteOrder.compare(a.entry(i), b.entry(j)) {
      case .less:
        keptA.append(a.items[i])
        i += 1
      case .greater:
        keptB.append(b.items[j])
        j += 1
      case .equal:
        i += 1
        j += 1
      }
    }
    keptA += a.items[i...]
    keptB += b.items[j...]
    a.items = keptA
    b.items = keptB
  }
}
