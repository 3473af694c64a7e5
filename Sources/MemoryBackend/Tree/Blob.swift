/// A key or value too large for a node: an allocation of its own.
///
/// It belongs to the one entry that holds its address and never changes; copies of the entry's node
/// share it. It is freed by hand, once, as a ``Node`` is. Layout: birth 8, count 8, bytes.
struct Blob {
  let base: UnsafeMutableRawPointer

  private static let headerSize = 16

  /// The blob whose address lies here.
  @inline(__always)
  init(at address: UnsafeRawPointer) {
    base = address.loadUnaligned(as: UnsafeMutableRawPointer.self)
  }

  /// Makes a blob of a copy of `bytes`.
  init(copying bytes: UnsafeRawBufferPointer, birth: UInt64) {
    base = Piece.allocate(byteCount: Blob.headerSize + bytes.count)
    base.storeBytes(of: birth, as: UInt64.self)
    base.storeBytes(of: bytes.count, toByteOffset: 8, as: Int.self)
    if let start = bytes.baseAddress {
      (base + Blob.headerSize).copyMemory(from: start, byteCount: bytes.count)
    }
  }

  var birth: UInt64 { base.load(as: UInt64.self) }

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: base + Blob.headerSize, count: base.load(fromByteOffset: 8, as: Int.self))
  }
}

/// The form in which a node holds a key or value.
enum EntryField {
  /// Bytes that lie, or will lie, in the node.
  case bytes(UnsafeRawBufferPointer)
  /// Bytes that lie in a blob.
  case outside(Blob)
  /// A branch's child.
  case child(Node)

  static var empty: EntryField { .bytes(UnsafeRawBufferPointer(start: nil, count: 0)) }

  /// The length as the entry records it.
  var length: UInt16 {
    switch self {
    case .bytes(let bytes): UInt16(truncatingIfNeeded: bytes.count)
    case .outside: Node.outside
    case .child: 8
    }
  }

  /// The bytes it takes in the node.
  var size: Int {
    if case .bytes(let bytes) = self { bytes.count } else { 8 }
  }

  /// The key or value itself.
  var contents: UnsafeRawBufferPointer {
    switch self {
    case .bytes(let bytes): bytes
    case .outside(let blob): blob.bytes
    case .child: UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }

  var blob: Blob? { if case .outside(let blob) = self { blob } else { nil } }

  func write(to address: UnsafeMutableRawPointer) {
    switch self {
    case .bytes(let bytes):
      if let start = bytes.baseAddress { address.copyMemory(from: start, byteCount: bytes.count) }
    case .outside(let blob): address.storeBytes(of: blob.base, as: UnsafeMutableRawPointer.self)
    case .child(let node): address.storeBytes(of: node.base, as: UnsafeMutableRawPointer.self)
    }
  }
}

/// A key and its value, on the way into a node.
struct Entry {
  var key: EntryField
  var value: EntryField

  /// The bytes it takes, without its slot.
  var size: Int { Node.lengthSize + key.size + value.size }
  /// The bytes it takes, with its slot.
  var cost: Int { size + Node.slotSize }
  /// The number of its fields that lie in blobs.
  var outside: UInt16 { (key.blob == nil ? 0 : 1) + (value.blob == nil ? 0 : 1) }
}
