/// A page of a tree, as bytes that were read and may be anything.
///
/// Nothing but ``fault(number:isLeaf:isFree:)`` and ``isRoot(_:)`` may be asked of a page that has a
/// fault.
struct LMDBPage {
  /// An entry of a leaf page, or of a branch page, where it leads to another page.
  struct Node {
    fileprivate let words: (UInt16, UInt16, UInt16)
    let key: UnsafeRawBufferPointer
    /// The bytes after the key: the value, or the number of its first page.
    let value: UnsafeRawBufferPointer

    /// The kind of value; in a leaf page only.
    var flags: UInt16 { words.2 }
    /// The size of the value; in a leaf page only.
    var size: Int { Int(words.0) | Int(words.1) << 16 }
    /// The child page; in a branch page only.
    var child: UInt64 { UInt64(words.0) | UInt64(words.1) << 16 | UInt64(words.2) << 32 }
  }

  /// Bytes of a page's number, instead of a large value.
  private static let numberSize = 8

  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private func word(_ offset: Int) -> Int {
    Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  private var flags: UInt16 { UInt16(word(10)) }
  private var isLeaf: Bool { flags == LMDBFormat.PageFlag.leaf }
  /// The offset at which the array of entry offsets ends.
  private var lower: Int { word(12) }
  /// The offset at which the entries begin.
  private var upper: Int { word(14) }
  /// The number of entries the page has.
  var count: Int { (lower - LMDBFormat.headerSize) / 2 }

  private func offset(of index: Int) -> Int { word(LMDBFormat.headerSize + index * 2) }

  func node(_ index: Int) -> Node {
    let offset = offset(of: index)
    let keyEnd = offset + LMDBFormat.nodeHeaderSize + word(offset + 6)
    let words = halves(offset)
    let node = Node(
      words: words, key: UnsafeRawBufferPointer(rebasing: bytes[offset + 8..<keyEnd]),
      value: UnsafeRawBufferPointer(rebasing: bytes[keyEnd..<keyEnd]))
    guard isLeaf else { return node }
    let size = node.flags == LMDBFormat.NodeFlag.overflow ? Self.numberSize : node.size
    return Node(
      words: words, key: node.key,
      value: UnsafeRawBufferPointer(rebasing: bytes[keyEnd..<keyEnd + size]))
  }

  /// The first three words of an entry, the lowest first.
  private func halves(_ offset: Int) -> (UInt16, UInt16, UInt16) {
    let (first, second) = (UInt16(word(offset)), UInt16(word(offset + 2)))
    #if _endian(little)
      return (first, second, UInt16(word(offset + 4)))
    #else
      return (second, first, UInt16(word(offset + 4)))
    #endif
  }

  /// Returns whether the header is that of the root of a tree; asked of a header alone.
  func isRoot(_ tree: LMDBTree) -> Bool {
    let kind = tree.depth == 1 ? LMDBFormat.PageFlag.leaf : LMDBFormat.PageFlag.branch
    return bytes.loadUnaligned(as: UInt64.self) == tree.root && flags == kind
      && lower >= LMDBFormat.headerSize
  }

  /// Returns the fault of the page's own bytes; nil if there is none.
  func fault(number: UInt64, isLeaf: Bool, isFree: Bool) -> String? {
    if bytes.loadUnaligned(as: UInt64.self) != number { return "has another page's number" }
    let kind = isLeaf ? LMDBFormat.PageFlag.leaf : LMDBFormat.PageFlag.branch
    if flags != kind { return "is of an unexpected kind" }
    if lower < LMDBFormat.headerSize || lower % 2 != 0 || lower > upper || upper > bytes.count {
      return "has impossible bounds"
    }
    // The library stops the process at a branch that does not branch.
    if count < (isLeaf || isFree ? 1 : 2) { return "has too few entries" }
    return hasSoundEntries ? nil : "has entries that overlap or lie outside its bounds"
  }

  /// True if the entries follow each other without gaps from `upper` to the end, as the library
  /// keeps them, and the offsets in the header are where they begin.
  ///
  /// The two lists are compared by their sums and their sums of squares: keys in order, which are
  /// checked apart, rule out that an offset is there twice.
  private var hasSoundEntries: Bool {
    var (next, found, sum, squares) = (upper, 0, 0, 0)
    while next < bytes.count {
      guard found < count, let size = nodeSize(at: next) else { return false }
      found += 1
      sum += next
      squares += next * next
      next += size
    }
    guard next == bytes.count, found == count else { return false }
    for index in 0..<count {
      let offset = offset(of: index)
      // The other properties of an entry rely on this.
      guard nodeSize(at: offset) != nil else { return false }
      sum -= offset
      squares -= offset * offset
    }
    return sum == 0 && squares == 0
  }

  /// The bytes an entry takes; nil when they are not all where entries are.
  private func nodeSize(at offset: Int) -> Int? {
    guard offset >= upper, offset % 2 == 0, offset + LMDBFormat.nodeHeaderSize <= bytes.count else {
      return nil
    }
    var size = LMDBFormat.nodeHeaderSize + word(offset + 6)
    if isLeaf {
      let (low, high, flags) = halves(offset)
      let valueSize = Int(low) | Int(high) << 16
      size += flags == LMDBFormat.NodeFlag.overflow ? Self.numberSize : valueSize
    }
    guard offset + size <= bytes.count else { return nil }
    return size + size % 2
  }
}
