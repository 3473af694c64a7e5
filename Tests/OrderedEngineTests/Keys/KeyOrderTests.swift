import Foundation
import ORMConformance
import ORMCore
import Testing

@testable import OrderedEngine

@Suite struct KeyOrderTests {
  private func key(_ shape: KeyShape, _ layout: RecordLayout, _ row: [StoredValue]) throws -> Bytes
  {
    let record = try layout.record(row)
    return try record.withUnsafeBytes { bytes in
      var view = RecordView(layout)
      _ = view.move(to: bytes)
      var buffer = ByteBuffer()
      try buffer.append(shape, of: view)
      return Array(buffer.bytes)
    }
  }

  /// Clause 1.6, 2.2, 2.3, 3.1: tuples of every type, null, and both directions.
  @Test func bytesOrderAsValues() throws {
    try withSeed { rows in
      for _ in 0..<400 {
        let count = rows.pick([1, 2, 3])
        let columns = (0..<count).map {
          StoredColumn(
            "c\($0)", rows.pick(RandomRows.scalars), isOptional: rows.pick([true, false]))
        }
        let entity = StoredEntity(name: "row", columns: columns, key: Array(0..<count))
        let layout = RecordLayout(entity, hasChecksums: false)
        let directions = columns.map { _ in rows.pick([true, false]) }
        let shape = KeyShape(
          columns.indices.map {
            KeyTerm(layout.fields[$0], of: columns[$0], isDescending: directions[$0])
          })
        let tuples = (0..<12).map { _ in rows.row(of: entity) }
        let keys = try tuples.map { try key(shape, layout, $0) }
        for (a, first) in zip(tuples, keys) {
          var buffer = ByteBuffer()
          for (term, value) in zip(shape.terms, a) { buffer.append(term, value: value) }
          try #require(Array(buffer.bytes) == first, "the value's and the record's bytes differ")
          let decoded = first.withUnsafeBytes { KeyDecoder.values(shape, of: $0) }
          try #require(zip(decoded, a).allSatisfy { StoredValue.order($0, $1) == 0 }, "\(a)")
          try #require(decoded.count == a.count)
          if let width = shape.width { #expect(first.count == width) }
          if let width = shape.maximumWidth { #expect(first.count <= width) }
          for (b, second) in zip(tuples, keys) {
            let order =
              zip(zip(a, b), directions).lazy
              .map { StoredValue.order($0.0, $0.1) * ($1 ? -1 : 1) }.first { $0 != 0 } ?? 0
            let bytes = first == second ? 0 : (first.precedes(second) ? -1 : 1)
            try #require(bytes == order.signum(), "\(columns.map(\.type)) \(directions): \(a) \(b)")
            // Keys that differ never begin one another, so that whatever follows stays apart.
            if first != second { try #require(!second.starts(with: first)) }
          }
        }
      }
    }
  }

  @Test func thePrimaryKeyOfOneIntegerIsEightBytes() throws {
    let entity = StoredEntity(name: "row", columns: [StoredColumn("id", .int32)], key: [0])
    let layout = RecordLayout(entity)
    let shape = KeyShape(primaryKeyOf: layout)
    #expect(shape.isInteger)
    #expect(try key(shape, layout, [.int(1)]) == [0x80, 0, 0, 0, 0, 0, 0, 1])
    #expect(try key(shape, layout, [.int(-1)]) == [0x7F, 255, 255, 255, 255, 255, 255, 255])
  }

  /// Clause 1.2: -0.0 equals 0.0 in keys.
  @Test func zeroHasOneKey() throws {
    for type in [AttributeType.double, .float, .date] {
      let entity = StoredEntity(name: "row", columns: [StoredColumn("id", type)], key: [0])
      let layout = RecordLayout(entity)
      let zeros: [StoredValue] =
        type == .date
        ? [0, -0.0].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        : [.double(0), .double(-0.0)]
      let keys = try zeros.map { try key(KeyShape(primaryKeyOf: layout), layout, [$0]) }
      #expect(keys[0] == keys[1])
    }
  }

  @Test func textsAreEscapedAndEnded() throws {
    let entity = StoredEntity(
      name: "row", columns: [StoredColumn("id", .string, isOptional: true)], key: [0])
    let layout = RecordLayout(entity)
    let shape = KeyShape(primaryKeyOf: layout)
    #expect(try key(shape, layout, [.string("a\0b")]) == [1, 0x61, 0, 0xFF, 0x62, 0, 1])
    #expect(try key(shape, layout, [.null]) == [0])
    let descending = KeyShape(shape.terms.map { $0.directed(descending: true) })
    #expect(try key(descending, layout, [.string("a")]) == [0xFE, 0x9E, 0xFF, 0xFE])
    #expect(try key(descending, layout, [.null]) == [0xFF])
  }

  /// Clause 2.4.
  @Test func foldedTextsAreStoredFolded() throws {
    let column = StoredColumn("name", .string)
    let layout = RecordLayout(StoredEntity(name: "row", columns: [column], key: [0]))
    let shape = KeyShape([KeyTerm(layout.fields[0], of: column, form: .caseFolded)])
    let strasse = try key(shape, layout, [.string("STRASSE")])
    #expect(strasse == Bytes("strasse".utf8) + [0, 1])
    #expect(try key(shape, layout, [.string("Straße")]) == strasse)
    var prefix = ByteBuffer()
    prefix.append(shape.terms[0], beginning: "STRAß")
    #expect(Array(prefix.bytes) == Bytes("strass".utf8))
  }

  @Test func theEndOfAPrefixIsTheLeastGreater() {
    func end(_ bytes: Bytes) -> Bytes? {
      var buffer = ByteBuffer()
      bytes.withUnsafeBytes { buffer.append($0) }
      return buffer.advancePastPrefix() ? Array(buffer.bytes) : nil
    }
    #expect(end([1, 2]) == [1, 3])
    #expect(end([1, 0xFF, 0xFF]) == [2])
    #expect(end([0xFF]) == nil)
    #expect(end([]) == nil)
  }
}
