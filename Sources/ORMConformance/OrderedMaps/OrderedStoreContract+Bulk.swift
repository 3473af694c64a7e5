internal import OrderedEngine

extension OrderedStoreContract {
  /// Thousands of entries, put in and taken out in different orders.
  static var bulkCases: [Case] {
    let size = 12_000
    let orders: [(String, @Sendable () -> [Int])] = [
      ("ascending", { Array(0..<size) }),
      ("descending", { (0..<size).reversed() }),
      ("from the middle outwards", { middleOut(size) }),
      ("in a shuffled order", { scattered(size) }),
    ]
    let pairs: @Sendable () -> [Pair] = {
      (0..<size).map { Pair(key($0), Bytes(repeating: UInt8($0 & 255), count: $0 * 7 % 101)) }
    }
    return orders.flatMap { name, order in
      [
        Case("entries put \(name) in one batch are all there, in order") { store in
          let pairs = pairs()
          try store.write { batch in
            for index in order() { try batch.put(pairs[index].key, pairs[index].value, in: 1) }
            try batch.expect(pairs, in: 1)
          }
          try store.read { try $0.expect(pairs, in: 1) }
        },
        Case("entries put \(name) over many batches are all there, in order") { store in
          let pairs = pairs()
          var rest = order()[...]
          while !rest.isEmpty {
            try store.write { (batch) throws in
              for index in rest.prefix(500) {
                try require(try batch.insert(pairs[index].key, pairs[index].value, in: 1))
              }
            }
            rest = rest.dropFirst(500)
          }
          try store.read { try $0.expect(pairs, in: 1) }
        },
        Case("entries removed \(name) leave the others, and in the end nothing") { store in
          let pairs = pairs()
          try store.write { batch in
            for pair in pairs { try batch.put(pair.key, pair.value, in: 1) }
          }
          let order = order()
          let remaining = Set(order.suffix(1_000))
          try store.write { (batch) throws in
            for index in order.dropLast(1_000) {
              try require(try batch.remove(pairs[index].key, in: 1))
            }
          }
          try store.read { snapshot in
            let left = pairs.indices.filter(remaining.contains).map { pairs[$0] }
            try snapshot.expect(left, in: 1)
          }
          try store.write { batch in
            for index in order.suffix(1_000) {
              try require(try batch.remove(pairs[index].key, in: 1))
            }
            try batch.expect([], in: 1)
            try batch.put("k", "v", in: 1)
          }
          try store.read { try $0.expect([Pair("k", "v")], in: 1) }
        },
      ]
    }
  }

  /// 0 ..< size, beginning in the middle and going outwards.
  private static func middleOut(_ size: Int) -> [Int] {
    (0..<size).map { size / 2 + ($0 % 2 == 0 ? $0 / 2 : -1 - $0 / 2) }
  }

  /// 0 ..< size in a fixed order without pattern: multiples of a prime, modulo `size`.
  private static func scattered(_ size: Int) -> [Int] { (0..<size).map { $0 * 7_919 % size } }
}
