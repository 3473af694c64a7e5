import ORMStorage

/// Writes an image, and hashes it on the way.
struct ImageWriter {
  private let file: ImageFile
  private var hash = XXHash64()
  private var buffer: [UInt8] = []

  init(_ file: ImageFile) {
    self.file = file
    buffer.reserveCapacity(Image.bufferSize + 64)
  }

  /// Writes all trees that have entries, and syncs the file.
  mutating func write(_ trees: [(keyspace: UInt32, element: BTree)]) throws {
    let trees = trees.filter { $0.element.count > 0 }
    let body = trees.reduce(0) { $0 + Image.sectionHeaderSize + Self.size(of: $1.element) }
    buffer += Image.header(length: Image.headerSize + 8 + body + Image.checksumSize)
    buffer += Image.bytes(UInt64(trees.count))
    for (keyspace, tree) in trees {
      buffer += Image.bytes(keyspace) + [0, 0, 0, 0]
      buffer += Image.bytes(UInt64(tree.count)) + Image.bytes(UInt64(tree.bytes))
      try tree.forEachEntry { key, value in
        Image.appendVarint(key.count, to: &buffer)
        Image.appendVarint(value.count, to: &buffer)
        try append(key)
        try append(value)
      }
    }
    try flush()
    buffer += Image.bytes(hash.finish())
    try flush()
    try file.sync()
  }

  /// The bytes of a tree's entries in the file.
  private static func size(of tree: BTree) -> Int {
    var size = tree.bytes
    tree.forEachEntry { key, value in
      size += Image.varintSize(key.count) + Image.varintSize(value.count)
    }
    return size
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
    if buffer.count + bytes.count > Image.bufferSize { try flush() }
    guard bytes.count < Image.bufferSize else {
      hash.update(bytes)
      return try file.write(bytes)
    }
    buffer.append(contentsOf: bytes)
  }

  private mutating func flush() throws {
    try buffer.withUnsafeBytes { bytes in
      hash.update(bytes)
      try file.write(bytes)
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
