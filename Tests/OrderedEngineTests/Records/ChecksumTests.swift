import ORMCore
import Testing

@testable import OrderedEngine

@Suite struct ChecksumTests {
  /// The values published with XXH64's specification and reference implementation.
  @Test(
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ] as [(String, UInt64)])
  func isXXH64(text: String, expected: UInt64) {
    #expect(Array(text.utf8).withUnsafeBytes { XXHash64.hash($0) } == expected)
  }

  /// What `rapidhashNano` and `rapidhashNano_withSeed` of the reference implementation give for so
  /// many bytes, each 7 more than the one before, from 3 on.
  @Test(
    arguments: [
      (0, 0x0338_DC4B_E2CE_CDAE, 0x565E_F32C_D8EF_B3DD),
      (1, 0xC693_9E8F_B007_09FF, 0x5ED8_3E26_08FC_233E),
      (2, 0xAD80_1A47_DF89_B990, 0x4051_A943_9961_052B),
      (3, 0x5655_E9F7_64E8_FB47, 0xC82E_B922_1B53_D004),
      (4, 0x4922_7FB2_F401_A8FC, 0xD814_8F84_9747_EC09),
      (7, 0xF8D2_BDFE_7F38_8DF8, 0x15ED_25EF_1620_3477),
      (8, 0xF598_0B64_6F82_2E89, 0x1826_6E90_2877_7FA7),
      (9, 0xFD97_8742_0766_DD08, 0x27DC_C8FA_30FD_A633),
      (15, 0x71BB_053C_322A_B7CB, 0xDE8E_E238_60E2_93E6),
      (16, 0xD0E6_8844_CB24_A480, 0x0203_11D9_259B_9E9E),
      (17, 0x7998_C836_066E_171B, 0x0F6D_B5EC_F711_D100),
      (31, 0xED3E_EE46_CFA0_4E29, 0x0C41_87B2_DABC_1B54),
      (32, 0x4F6A_424C_80F0_9818, 0x4458_2223_9972_5CC3),
      (33, 0x50F7_08A7_27E0_A6F9, 0x9572_3EA9_A41B_F3D7),
      (47, 0x5FA1_EE59_3A9D_44E5, 0x8367_12FF_3B01_2D08),
      (48, 0x78E8_9226_6D50_2576, 0x4D15_5E31_FBF3_DDBC),
      (49, 0x3B64_EC2B_4166_561C, 0x843F_6C16_FEAA_421E),
      (64, 0x11B5_63E2_67E1_CAFD, 0x7F2C_05CE_3490_3C7B),
      (65, 0x9B09_3853_4ACA_8803, 0x51F8_D325_8788_18C1),
      (80, 0xDD71_B6A3_06E7_35FA, 0xC95D_53F7_EE8A_7D88),
      (81, 0x0F6F_BB70_8B8C_09F3, 0xA4A9_FDB6_F599_09D8),
      (96, 0x3D87_53F5_DC13_8EDA, 0xD8C7_D687_EDE0_BD2B),
      (97, 0xD6C6_5A4E_B45C_2282, 0x77BF_779E_69BA_6D67),
      (98, 0xC5D6_FE5F_785D_CEE9, 0xADE2_7617_BBDD_6E08),
      (144, 0xC893_9245_8A02_DDB4, 0xB721_0105_A132_6CFB),
      (145, 0x7624_3B41_C17B_8167, 0x2AAF_4B85_C823_2AF8),
      (400, 0x0095_C718_3858_3D4B, 0x278B_1F43_CF2C_260E),
    ] as [(Int, UInt64, UInt64)])
  func isRapidHash(count: Int, expected: UInt64, seeded: UInt64) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
    #expect(bytes.withUnsafeBytes { RapidHash.hash($0) } == expected)
    #expect(bytes.withUnsafeBytes { RapidHash.hash($0, seed: 0x0123_4567_89AB_CDEF) } == seeded)
  }

  @Test(arguments: [1, 8, 11, 20])
  func changesWithKeySpaceAndEveryByte(keySize: Int) {
    let value = [UInt8](repeating: 7, count: 77)
    let key = [UInt8](repeating: 1, count: keySize)
    func checksum(_ value: [UInt8], _ key: [UInt8], _ keyspace: Keyspace) -> UInt64 {
      value.withUnsafeBytes { value in
        key.withUnsafeBytes { Checksum.ofRecord(value, under: $0, in: keyspace) }
      }
    }
    var seen: Set = [checksum(value, key, 1), checksum(value, key, 2)]
    for place in key.indices {
      var other = key
      other[place] ^= 0x10
      seen.insert(checksum(value, other, 1))
    }
    for place in value.indices {
      var other = value
      other[place] ^= 0x10
      seen.insert(checksum(other, key, 1))
    }
    #expect(seen.count == 2 + key.count + value.count)
  }
}
