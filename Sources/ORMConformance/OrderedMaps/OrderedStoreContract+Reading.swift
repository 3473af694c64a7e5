package import OrderedEngine

extension OrderedStoreContract {
  /// Look-up by key, and counts.
  static var pointCases: [Case] {
    [
      Case("a keyspace never written is empty") { store in
        try store.read { snapshot in
          try snapshot.expect([], in: 3)
          try require(try snapshot.value("a", in: 3) == nil)
          let cursor = try snapshot.cursor(in: 3)
          try require(try !cursor.seek("a"))
          try require(try !cursor.seek(before: "a"))
        }
      },
      Case("what is put is found, in the batch and after it") { store in
        try store.write { batch in
          try batch.put("k", "v", in: 1)
          try require(try batch.value("k", in: 1) == "v")
          try batch.expect([Pair("k", "v")], in: 1)
        }
        try store.read { try $0.expect([Pair("k", "v")], in: 1) }
      },
      Case("keys near a key are not found") { store in
        try store.write { try $0.put("key", "v", in: 1) }
        try store.read { (snapshot) throws in
          for key in ["ke", "kex", "kez", "key\0", "key ", "\0"] {
            try require(try snapshot.value(key, in: 1) == nil)
          }
        }
      },
      Case("a short key among longer ones is stepped over") { store in
        let words = [
          "aaaaaa", "abbbbb", "accccc", "bbbbbb", "cccccc", "dddddd", "eeeeee", "ffffff", "gggggg",
          "h", "hhhhhh", "iiiiii", "jjjjjj", "kkkkkk", "llllll", "mmmmmm",
        ]
        let keys = words.map { Bytes($0.utf8) + [0, 1] }
        try store.write { batch in
          for key in keys { try batch.put(key, key, in: 1) }
        }
        try store.read { try $0.expect(keys.map { Pair($0, $0) }, in: 1) }
      },
      Case(random: "texts of any length are found, and none between them") { store, seed in
        var random = SeededGenerator(seed: seed)
        func text() -> Bytes {
          let letters = UInt8.random(in: 2...26, using: &random)
          return (0..<Int.random(in: 1...12, using: &random)).map { _ in
            97 + UInt8.random(in: 0..<letters, using: &random)
          } + [0, 1]
        }
        var keys: Set<Bytes> = []
        while keys.count < 2_000 { keys.insert(text()) }
        let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
        try store.write { batch in
          for key in sorted.shuffled(using: &random) { try batch.put(key, key, in: 1) }
        }
        try store.read { snapshot in
          try snapshot.expect(sorted.map { Pair($0, $0) }, in: 1)
          let cursor = try snapshot.cursor(in: 1)
          for _ in 0..<500 {
            let other = text()
            let found = keys.contains(other) ? other : nil
            try require(try cursor.value(other) == found)
            let next = sorted.first(notLessThan: other)
            try require(try cursor.seek(other) ? cursor.pair.key == next : next == nil)
          }
        }
      },
      Case("keys that lie evenly, in heaps and far apart are found, and none between them") {
        store in
        // Counted up, doubling, heaps far from each other, and one far from all others; some of
        // other lengths, which begin like their neighbours.
        var numbers = (0..<600).map { UInt64($0) * 3 + 1_000_000 }
        numbers += (0..<64).map { UInt64(1) << $0 }
        numbers += (0..<300).map { UInt64($0 / 100) << 40 + UInt64($0 % 100) * 5 + 7 }
        numbers.append(.max)
        func key(_ number: UInt64) -> Bytes { withUnsafeBytes(of: number.bigEndian) { Bytes($0) } }
        let longer =
          numbers.prefix(40).map { key($0) + [0] } + numbers.suffix(40).map { key($0) + [9] }
        let shorter = numbers.suffix(150).map { Array(key($0).prefix(Int($0 % 7) + 1)) }
        let keys = Set(numbers.map(key) + longer + shorter)
        try store.write { batch in
          // Neither in order nor against it: by their last bytes.
          for key in keys.sorted(by: { $1.reversed().lexicographicallyPrecedes($0.reversed()) }) {
            try batch.put(key, key + [1], in: 1)
          }
        }
        try store.read { snapshot in
          let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
          try snapshot.expect(sorted.map { Pair($0, $0 + [1]) }, in: 1)
          let cursor = try snapshot.cursor(in: 1)
          for number in numbers {
            for near in [number &- 1, number &+ 1].map(key) where !keys.contains(near) {
              try require(try snapshot.value(near, in: 1) == nil)
              try require(try cursor.value(near) == nil)
              let next = sorted.first(notLessThan: near)
              try require(try cursor.seek(near) == (next != nil))
              if let next { try require(cursor.pair.key == next) }
            }
          }
        }
      },
      Case("an empty value is a value") { store in
        try store.write { try $0.put("k", "", in: 1) }
        try store.read { snapshot in
          try require(try snapshot.value("k", in: 1) == "")
          try snapshot.expect([Pair("k", "")], in: 1)
        }
      },
      Case("an error thrown while a value is read comes out as it is") { store in
        try store.write { try $0.put("k", "v", in: 1) }
        try store.read { (snapshot) throws in
          try requireError(Interruption(number: 4)) {
            try Bytes("k".utf8).withUnsafeBytes { key in
              try snapshot.get(key, in: 1) { _ in throw Interruption(number: 4) }
            }
          }
          try require(try snapshot.value("k", in: 1) == "v")
        }
      },
      Case("keyspaces are independent, whatever their numbers") { store in
        let keyspaces: [Keyspace] = [0, 1, 2, 31, 255, 256, 5_000, 70_000, .max - 1, .max]
        try store.write { batch in
          for keyspace in keyspaces { try batch.put("k", "\(keyspace)", in: keyspace) }
          try batch.put("other", "x", in: 31)
        }
        try store.write { _ = try $0.remove("k", in: 255) }
        try store.read { snapshot in
          for keyspace in keyspaces where keyspace != 255 && keyspace != 31 {
            try snapshot.expect([Pair("k", "\(keyspace)")], in: keyspace)
          }
          try snapshot.expect([], in: 255)
          try snapshot.expect([Pair("k", "31"), Pair("other", "x")], in: 31)
          try snapshot.expect([], in: 3)
        }
      },
    ]
  }

  /// Seeking and moving.
  static var cursorCases: [Case] {
    [
      Case("keys order as unsigned bytes, a prefix before what it begins") { store in
        let ordered: [Bytes] = [
          [0], [0, 0], [0, 1], [0, 255], [1], [1, 0], [9, 9, 9, 9, 9, 9, 9],
          [9, 9, 9, 9, 9, 9, 9, 0], [9, 9, 9, 9, 9, 9, 9, 9], [9, 9, 9, 9, 9, 9, 9, 9, 0],
          [9, 9, 9, 9, 9, 9, 9, 9, 1, 0, 0, 0, 0, 0, 0, 0], [9, 9, 9, 9, 9, 9, 9, 9, 2],
          [127], [127, 255], [128], [255], [255, 0], [255, 255], [255, 255, 255],
        ]
        let pairs = ordered.enumerated().map { Pair($1, [UInt8($0)]) }
        try store.write { batch in
          for pair in pairs.reversed() { try batch.put(pair.key, pair.value, in: 1) }
        }
        try store.read { try $0.expect(pairs, in: 1) }
      },
      Case("seek finds the first key not less; an empty key, the first of all") { store in
        try store.letters("b", "d", "f")
        try store.read { snapshot in
          let cursor = try snapshot.cursor(in: 1)
          for (sought, found) in [
            ("", "b"), ("a", "b"), ("b", "b"), ("b\0", "d"), ("c", "d"), ("d", "d"), ("e", "f"),
            ("f", "f"),
          ] {
            try require(try cursor.seek(sought), "seek \(sought)")
            try require(cursor.pair == Pair(found, found + "!"), "seek \(sought)")
          }
          try require(try !cursor.seek("f\0"))
          try require(try !cursor.seek("g"))
          try require(try cursor.seek("a"))
          try require(cursor.text == "b")
        }
      },
      Case("seek(before:) finds the last key less") { store in
        try store.letters("b", "d", "f")
        try store.read { snapshot in
          let cursor = try snapshot.cursor(in: 1)
          for (sought, found) in [
            ("b\0", "b"), ("c", "b"), ("d", "b"), ("d\0", "d"), ("f", "d"), ("g", "f"),
            ("\u{7f}\u{7f}", "f"),
          ] {
            try require(try cursor.seek(before: sought), "before \(sought)")
            try require(cursor.pair == Pair(found, found + "!"), "before \(sought)")
          }
          try require(try !cursor.seek(before: "b"))
          try require(try !cursor.seek(before: "a"))
          try require(try !cursor.seek(before: ""))
        }
      },
      Case("seekLast finds the last of all") { store in
        try store.letters("b", "d", "f")
        try store.read { snapshot in
          let cursor = try snapshot.cursor(in: 1)
          try require(try cursor.seekLast())
          try require(cursor.text == "f")
          try require(try cursor.previous())
          try require(cursor.text == "d")
        }
      },
      Case("a cursor reverses its direction where it stands") { store in
        try store.letters("b", "d", "f", "h")
        try store.read { snapshot in
          let cursor = try snapshot.cursor(in: 1)
          try require(try cursor.seek("d"))
          try require(try cursor.next())
          try require(cursor.text == "f")
          try require(try cursor.previous())
          try require(cursor.text == "d")
          try require(try cursor.previous())
          try require(cursor.text == "b")
          try require(try cursor.next())
          try require(cursor.text == "d")
        }
      },
      Case("past either end a cursor stands nowhere, does not move, and can seek again") { store in
        try store.letters("b", "d")
        try store.read { snapshot in
          let cursor = try snapshot.cursor(in: 1)
          try require(try !cursor.next(), "a new cursor stands nowhere")
          try require(try !cursor.previous(), "a new cursor stands nowhere")
          try require(try cursor.seek("d"))
          try require(try !cursor.next())
          try require(try !cursor.next())
          try require(try !cursor.previous())
          try require(try cursor.seek("b"))
          try require(try !cursor.previous())
          try require(try !cursor.next())
          try require(try !cursor.seek("x"))
          try require(try !cursor.previous())
          try require(try !cursor.seek(before: "b"))
          try require(try !cursor.next())
          try require(try cursor.seekLast())
          try require(cursor.text == "d")
        }
      },
      Case("cursors of one snapshot move independently") { store in
        try store.letters("a", "b", "c")
        try store.read { snapshot in
          let one = try snapshot.cursor(in: 1)
          let two = try snapshot.cursor(in: 1)
          try require(try one.seek("a"))
          try require(try two.seekLast())
          try require(try one.next())
          try require(one.text == "b")
          try require(two.text == "c")
        }
      },
    ]
  }
}

extension OrderedStore {
  /// Puts these keys in keyspace 1, each with itself and `!` for a value.
  package func letters(_ keys: String...) throws {
    try write { batch in
      for key in keys { try batch.put(key, key + "!", in: 1) }
    }
  }
}

extension [Bytes] {
  /// Returns the first of ordered keys that is not less.
  fileprivate func first(notLessThan key: Bytes) -> Bytes? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
    }
    return low < count ? self[low] : nil
  }
}
