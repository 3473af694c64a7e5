internal import OrderedEngine

extension OrderedStoreContract {
  /// Single writes, and their effect on cursors.
  static var writeCases: [Case] {
    [
      Case("put replaces a value by one of any size") { store in
        let sizes = [3, 3, 0, 90, 4_000, 5, 70_000, 69_999, 1, 1_500, 1_500, 0]
        for size in sizes {
          try store.write { batch in
            try batch.put(Bytes("k".utf8), Bytes(repeating: 7, count: size), in: 1)
            try batch.put(Bytes("j".utf8), Bytes(repeating: 8, count: size), in: 1)
          }
          try store.read {
            let (seven, eight) = (
              Bytes(repeating: 7, count: size), Bytes(repeating: 8, count: size)
            )
            try $0.expect([Pair([106], eight), Pair([107], seven)], in: 1, "\(size)")
          }
        }
        try store.write { batch in
          for size in sizes {
            try batch.put(Bytes("k".utf8), Bytes(repeating: 9, count: size), in: 1)
            let found = try batch.value(Bytes("k".utf8), in: 1)
            try require(found == Bytes(repeating: 9, count: size))
          }
        }
      },
      Case("insert refuses a key that is there and changes nothing") { store in
        try store.write { (batch) throws in
          try require(try batch.insert("k", "one", in: 1))
          try require(try !batch.insert("k", "two", in: 1))
          try require(try batch.insert("k", "other", in: 2))
        }
        try store.write { (batch) throws in try require(try !batch.insert("k", "three", in: 1)) }
        try store.read { snapshot in
          try snapshot.expect([Pair("k", "one")], in: 1)
          try snapshot.expect([Pair("k", "other")], in: 2)
        }
      },
      Case("remove says whether the key was there") { store in
        try store.letters("a", "b", "c")
        try store.write { (batch) throws in
          try require(try !batch.remove("bb", in: 1))
          try require(try batch.remove("b", in: 1))
          try require(try !batch.remove("b", in: 1))
          try require(try !batch.remove("a", in: 9))
        }
        try store.read { try $0.expect([Pair("a", "a!"), Pair("c", "c!")], in: 1) }
        try store.write { batch in
          try require(try batch.remove("a", in: 1))
          try require(try batch.remove("c", in: 1))
          try batch.expect([], in: 1)
        }
        try store.read { try $0.expect([], in: 1) }
      },
      Case("removeAll empties its keyspace alone, and the keyspace can be filled again") { store in
        let many = (0..<3_000).map { Pair(key($0), Bytes(repeating: 1, count: $0 % 200)) }
        try store.write { batch in
          for pair in many { try batch.put(pair.key, pair.value, in: 1) }
          try batch.put("k", "v", in: 2)
        }
        try store.write { batch in
          try batch.removeAll(in: 1)
          try batch.expect([], in: 1)
          try batch.put("new", "n", in: 1)
          try batch.removeAll(in: 9)
        }
        try store.read { snapshot in
          try snapshot.expect([Pair("new", "n")], in: 1)
          try snapshot.expect([Pair("k", "v")], in: 2)
        }
      },
      Case("replacing values gives each entry once and sets values of any size") { store in
        let sizes = [8, 8, 0, 300, 70_000, 8, 1_500]
        let pairs = (0..<3_000).map { Pair(key($0), Bytes(repeating: 1, count: $0 % 40)) }
        try store.write { batch in
          for pair in pairs { try batch.put(pair.key, pair.value, in: 1) }
          try batch.put("k", "v", in: 3)
        }
        // Every seventh value stays, and every third takes one of the sizes.
        let changed = pairs.enumerated().map { number, pair in
          var pair = pair
          if number % 7 == 0 { return pair }
          let count = number % 3 == 0 ? sizes[number % sizes.count] : pair.value.count
          pair.value = Bytes(repeating: 2, count: count)
          return pair
        }
        try store.write { batch in
          var number = 0
          var isShortened = false
          var new = Bytes()
          let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 70_000, alignment: 8)
          defer { buffer.deallocate() }
          try batch.setValues(in: 1) { key, value in
            try require(Bytes(key) == pairs[number].key && Bytes(value) == pairs[number].value)
            try batch.put(Bytes(key), Bytes(value), in: 2)
            new = changed[number].value
            number += 1
            if number % 7 == 1 { return nil }
            buffer.copyBytes(from: new)
            return UnsafeRawBufferPointer(rebasing: buffer[..<new.count])
          }
          try require(number == pairs.count)
          try batch.setValues(in: 9) { _, _ in nil }
          try? batch.savepoint {
            try batch.setValues(in: 3) { key, _ in key }
            throw Interruption(number: 5)
          }
          try batch.expect(changed, in: 1)
          // The bytes that were given may be returned, whole or in part.
          try? batch.savepoint {
            try batch.setValues(in: 1) { _, value in
              UnsafeRawBufferPointer(rebasing: value[(value.count / 3)...])
            }
            try batch.expect(
              changed.map { pair in
                var pair = pair
                pair.value = Bytes(pair.value.dropFirst(pair.value.count / 3))
                return pair
              }, in: 1)
            isShortened = true
            throw Interruption(number: 6)
          }
          try require(isShortened)
          try batch.expect(changed, in: 1)
        }
        try store.read { snapshot in
          try snapshot.expect(changed, in: 1)
          try snapshot.expect(pairs, in: 2)
          try snapshot.expect([Pair("k", "v")], in: 3)
        }
      },
      Case("after a write to its keyspace a batch's cursor stands nowhere until it seeks") {
        store in
        try store.letters("a", "c", "e")
        try store.write { batch in
          let cursor = try batch.cursor(in: 1)
          try require(try cursor.seek("a"))
          try batch.put("b", "b!", in: 1)
          try require(try !cursor.next())
          try require(try cursor.seek("a"))
          try require(try cursor.next())
          try require(cursor.pair == Pair("b", "b!"))
          try require(try batch.remove("c", in: 1))
          try require(try !cursor.previous())
          try require(try cursor.seek("b"))
          try require(try cursor.next())
          try require(cursor.text == "e")
          try batch.removeAll(in: 1)
          try require(try !cursor.seekLast())
        }
      },
      Case("writes to another keyspace leave a cursor where it stands") { store in
        try store.letters("a", "b", "c")
        try store.write { batch in
          let cursor = try batch.cursor(in: 1)
          var seen: [String] = []
          var stands = try cursor.seek("")
          while stands {
            seen.append(cursor.text)
            try batch.put("copy " + cursor.text, "x", in: 2)
            try require(try batch.insert("more " + cursor.text, "y", in: 3))
            stands = try cursor.next()
          }
          try require(seen == ["a", "b", "c"])
          try require(try batch.count(of: 2) == 3)
        }
      },
      Case("a cursor in a keyspace never written sees what is written later") { store in
        try store.write { batch in
          let cursor = try batch.cursor(in: 6)
          try require(try !cursor.seekLast())
          try batch.put("k", "v", in: 6)
          try require(try cursor.seekLast())
          try require(cursor.pair == Pair("k", "v"))
        }
      },
      Case("keys as long as the store takes stay apart and in order") { store in
        let longest = min(store.maximumKeyLength, 5_000)
        let stem = Bytes(repeating: 0x61, count: longest - 1)
        let pairs =
          [Pair(stem, [0])]
          + (0...255).map { Pair(stem + [UInt8($0)], Bytes(repeating: UInt8($0), count: 9)) }
        try store.write { batch in
          for pair in pairs.reversed() { try batch.put(pair.key, pair.value, in: 1) }
          try batch.expect(pairs, in: 1)
        }
        try store.write { (batch) throws in
          for pair in pairs where pair.key.last != 0x63 {
            try require(try batch.remove(pair.key, in: 1))
          }
        }
        try store.read { try $0.expect(pairs.filter { $0.key.last == 0x63 }, in: 1) }
      },
      Case("values of every size around a page, and large ones, come back") { store in
        let sizes = Array(0..<40) + Array(stride(from: 40, to: 9_000, by: 37)) + [65_535, 1 << 20]
        let pairs = sizes.enumerated().map { index, size in
          Pair(key(index), Bytes((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ size) }))
        }
        try store.write { batch in
          for pair in pairs.shuffled() { try batch.put(pair.key, pair.value, in: 1) }
        }
        try store.read { try $0.expect(pairs, in: 1) }
      },
    ]
  }

  /// A key that orders as its number does.
  package static func key(_ number: Int) -> Bytes {
    withUnsafeBytes(of: UInt64(number).bigEndian) { Bytes($0) }
  }
}
