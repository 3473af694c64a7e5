import Testing

@testable import OrderedEngine

/// The values published with XXH64's specification and reference implementation.
@Suite struct ChecksumTests {
  @Test(
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ] as [(String, UInt64)])
  func isXXH64(text: String, expected: UInt64) {
    #expect(Array(text.utf8).withUnsafeBytes { Checksum.xxh64($0) } == expected)
  }

  @Test func changesWithKeySpaceAndEveryByte() {
    let value = [UInt8](repeating: 7, count: 77)
    func checksum(_ value: [UInt8], _ key: [UInt8], _ space: Space) -> UInt64 {
      value.withUnsafeBytes { value in
        key.withUnsafeBytes { Checksum.of(value, under: $0, in: space) }
      }
    }
    var seen: Set = [checksum(value, [1], 1), checksum(value, [2], 1), checksum(value, [1], 2)]
    for place in value.indices {
      var other = value
      other[place] ^= 0x10
      seen.insert(checksum(other, [1], 1))
    }
    #expect(seen.count == 3 + value.count)
  }
}
