import Foundation
import ORMCore
import Testing

@testable import OrderedEngine

/// Clause 7.3: damage is found, or does no harm; it never traps.
@Suite struct DamagedRecordTests {
  /// Every bit of a sealed record, and every shorter or longer length, changes the checksum.
  @Test func theChecksumFindsEveryDamagedBitAndLength() throws {
    try withSeed { rows in
      for _ in 0..<20 {
        let entity = rows.entity(columns: 9)
        let layout = RecordLayout(entity)
        let key: [UInt8] = [1, 2, 3]
        var builder = RecordBuilder(layout)
        for (field, value) in zip(layout.fields, rows.row(of: entity)) {
          try builder.set(value, field)
        }
        try builder.finish()
        key.withUnsafeBytes { builder.seal(under: $0, in: 5) }
        let record = Array(builder.bytes)
        func isWhole(_ bytes: [UInt8]) -> Bool {
          bytes.withUnsafeBytes { bytes in
            key.withUnsafeBytes { layout.isWhole(bytes, under: $0, in: 5) }
          }
        }
        #expect(isWhole(record))
        for place in record.indices {
          for bit in 0..<8 {
            var damaged = record
            damaged[place] ^= 1 << UInt8(bit)
            try #require(!isWhole(damaged))
          }
          try #require(!isWhole(Array(record.prefix(place))))
        }
        #expect(!isWhole(record + [0]))
      }
    }
  }

  /// Without checksums, any bytes at all are read or refused, every column of every kind.
  @Test func readersTakeAnyBytesWithoutATrap() throws {
    try withSeed { rows in
      for _ in 0..<60 {
        let entity = rows.entity(columns: Int.random(in: 2...20, using: &rows.random))
        let layout = RecordLayout(entity, hasChecksums: false)
        let record = try layout.record(rows.row(of: entity))
        for _ in 0..<60 {
          var damaged = record
          for _ in 0..<Int.random(in: 1...4, using: &rows.random) {
            damaged[Int.random(in: 0..<damaged.count, using: &rows.random)] = rows.byte()
          }
          if rows.pick([true, false]) {
            damaged.removeLast(Int.random(in: 0...damaged.count, using: &rows.random))
          }
          readEverything(damaged, layout)
        }
      }
    }
  }

  private func readEverything(_ bytes: [UInt8], _ layout: RecordLayout) {
    let columns = RowColumns(layout, Array(layout.fields.indices))
    defer { withExtendedLifetime(columns) {} }
    var reader = RecordReader(columns)
    bytes.withUnsafeBytes { bytes in
      guard reader.view.move(to: bytes) else { return }
      for column in layout.fields.indices {
        _ = try? reader.value(at: column)
        _ = try? reader.string(at: column)
        _ = try? reader.int64(at: column)
        _ = try? reader.data(at: column)
        _ = try? reader.array(at: column)
        _ = try? reader.withBytes(at: column) { $0.count }
        var key = ByteBuffer()
        let entity = layout.entity.columns[column]
        try? key.append(KeyTerm(layout.fields[column], of: entity), of: reader.view)
      }
      var builder = RecordBuilder(layout)
      for field in layout.fields { try? builder.copy(field, from: reader.view) }
      try? builder.finish()
    }
  }

  @Test func keyDecodersTakeAnyBytesWithoutATrap() throws {
    try withSeed { rows in
      for _ in 0..<3000 {
        let columns = (0..<3).map { StoredColumn("c\($0)", rows.pick(RandomRows.scalars)) }
        let entity = StoredEntity(name: "row", columns: columns, key: [0, 1, 2])
        let shape = KeyShape(primaryKeyOf: RecordLayout(entity))
        let bytes = rows.bytes() + rows.bytes() + rows.bytes()
        bytes.withUnsafeBytes { _ = KeyDecoder.values(shape, of: $0) }
      }
    }
  }
}
