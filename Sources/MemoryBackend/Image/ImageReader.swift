import ORMStorage

/// Reads an image, and hashes it on the way.
///
/// Nothing in the file is believed before it is checked.
final class ImageReader {
  private let file: ImageFile
  private let size: Int
  private var hash = XXHash64()
  /// Bytes of the file that have been read; those before `offset` have been taken.
  private var buffer: UnsafeMutableRawBufferPointer
  private var offset = 0
  private var end = 0
  /// The offset up to which the buffer has been hashed.
  private var hashed = 0
  /// The bytes of the file that have not been read.
  private var unread: Int

  /// Checks the beginning of a file.
  ///
  /// Opens an image; throws the errors of ``Image/check(_:size:)``.
  init(_ file: ImageFile) throws {
    size = try file.size()
    unread = size
    self.file = file
    buffer = .allocate(byteCount: Image.bufferSize, alignment: 8)
    let length = min(size, Image.headerSize)
    try Image.check(take(length, else: "its length"), size: size)
  }

  deinit { buffer.deallocate() }

  /// Makes every keyspace's tree.
  ///
  /// Throws `corrupt`, or `full` past the edit's allowance; the nodes made so far are freed.
  func readTrees(_ edit: Edit) throws -> KeyspaceTable<BTree> {
    var trees = KeyspaceTable<BTree>()
    do {
      let sections = try number("its number of sections")
      var previous: UInt32?
      for _ in 0..<sections {
        let header = try take(Image.sectionHeaderSize, else: "a section")
        let keyspace = header.number(at: 0, as: UInt32.self)
        let (count, bytes) = (
          header.number(at: 8, as: UInt64.self), header.number(at: 16, as: UInt64.self)
        )
        guard previous.map({ $0 < keyspace }) ?? true, count > 0 else {
          throw Image.damage("a section")
        }
        previous = keyspace
        var tree = BTree()
        defer { trees[keyspace] = tree }
        try readEntries(count, into: &tree, edit)
        guard UInt64(tree.bytes) == bytes else { throw Image.damage("a section") }
      }
      try finish()
    } catch {
      for (_, tree) in trees.pairs {
        if let root = tree.root { edit.discard(allIn: root) }
      }
      throw error
    }
    return trees
  }

  private func readEntries(
    _ count: UInt64, into tree: inout BTree, _ edit: Edit
  ) throws {
    for _ in 0..<count {
      let (keySize, valueSize) = (try varint(), try varint())
      // Both are at most the rest of the file, so that their sum cannot overflow.
      let bytes = try take(keySize + valueSize, else: "an entry")
      let key = UnsafeRawBufferPointer(rebasing: bytes[..<keySize])
      let value = UnsafeRawBufferPointer(rebasing: bytes[keySize...])
      guard try tree.append(key, value, edit) else { throw Image.damage("the order of its keys") }
    }
  }

  /// Compares the checksum, after which nothing may follow.
  private func finish() throws {
    settleHash()
    let expected = hash.finish()
    guard rest == Image.checksumSize, try number("its checksum") == expected else {
      throw Image.damage("its checksum")
    }
  }

  /// The bytes of the file that have not been taken.
  private var rest: Int { unread + end - offset }

  private func number(_ name: String) throws -> UInt64 {
    try take(8, else: name).number(at: 0, as: UInt64.self)
  }

  /// A length, which is at most the rest of the file.
  private func varint() throws -> Int {
    var number: UInt64 = 0
    for shift in stride(from: 0, to: 56, by: 7) {
      let byte = try take(1, else: "an entry")[0]
      number |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 {
        guard number <= UInt64(rest) else { break }
        return Int(number)
      }
    }
    throw Image.damage("the length of an entry")
  }

  /// The next bytes, valid until the next are taken.
  private func take(_ count: Int, else name: String) throws -> UnsafeRawBufferPointer {
    guard count <= rest else { throw Image.damage(name) }
    if end - offset < count { try fill(count) }
    offset += count
    return UnsafeRawBufferPointer(rebasing: buffer[offset - count..<offset])
  }

  /// Reads on until `count` bytes lie in the buffer.
  private func fill(_ count: Int) throws {
    settleHash()
    let tail = UnsafeRawBufferPointer(rebasing: buffer[offset..<end])
    if count > buffer.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
      larger.copyMemory(from: tail)
      buffer.deallocate()
      buffer = larger
    } else {
      buffer.copyMemory(from: tail)
    }
    end -= offset
    hashed = 0
    offset = 0
    let wanted = min(buffer.count - end, unread)
    let got = try file.read(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[end..<end + wanted]))
    // A file that is shortened while it is read.
    guard got == wanted else { throw Image.damage("its length") }
    end += got
    unread -= got
  }

  /// Hashes the bytes taken so far.
  private func settleHash() {
    hash.update(UnsafeRawBufferPointer(rebasing: buffer[hashed..<offset]))
    hashed = offset
  }
}
