import Foundation

/// Reads of a memory store's image how many bytes its records and keys have.
enum MemoryImage {
  /// The keys and values of the largest section, without what says their lengths.
  ///
  /// The format: a header of 32 bytes, the number of sections (8), and sections, each with its space
  /// (8), the number of entries (8), the bytes of all keys and values (8), and the entries, each
  /// after its two lengths as LEB128 numbers.
  static func encodedBytes(_ path: String) throws -> Int {
    let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    return data.withUnsafeBytes { bytes in
      func word(_ place: Int) -> Int {
        Int(truncatingIfNeeded: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      }
      var place = 32
      func length() -> Int {
        var value = 0
        var shift = 0
        while place < bytes.count {
          let byte = Int(bytes[place])
          place += 1
          value |= (byte & 127) << shift
          if byte < 128 { break }
          shift += 7
        }
        return value
      }
      let sections = word(place)
      place += 8
      var largest = 0
      for _ in 0..<sections where place + 24 <= bytes.count {
        let entries = word(place + 8)
        largest = max(largest, word(place + 16))
        place += 24
        for _ in 0..<entries {
          let key = length()
          let value = length()
          place += key + value
        }
      }
      return largest
    }
  }
}
