// Streams of C++ for OpenVDB to write to: a FILE, and plain memory.
#pragma once

#include <cerrno>
#include <cstdio>
#include <streambuf>
#include <vector>

namespace
{

// A FILE for OpenVDB to write to, which goes back now and then to fill in an offset. Keeps the reason of the
// first failure, for streams of C++ only keep that there was one.
class FileBuffer : public std::streambuf
{
  public:
    explicit FileBuffer(FILE *stream) : file(stream)
    {
    }

    int reason() const
    {
        return failure;
    }

  protected:
    std::streamsize xsputn(const char *bytes, std::streamsize count) override
    {
        std::streamsize written =
            static_cast<std::streamsize>(fwrite(bytes, 1, static_cast<size_t>(count), file));
        note_failure(written != count);
        return written;
    }

    int_type overflow(int_type byte) override
    {
        bool has_failed = fputc(byte, file) == EOF;
        note_failure(has_failed);
        return has_failed ? traits_type::eof() : byte;
    }

    pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override
    {
        int origin = from == std::ios_base::beg ? SEEK_SET : from == std::ios_base::cur ? SEEK_CUR : SEEK_END;
        // Telling the place must not cost a flush.
        bool has_failed = (offset != 0 || origin != SEEK_CUR) && fseeko(file, offset, origin) != 0;
        note_failure(has_failed);
        return has_failed ? pos_type(off_type(-1)) : pos_type(ftello(file));
    }

    pos_type seekpos(pos_type position, std::ios_base::openmode mode) override
    {
        return seekoff(off_type(position), std::ios_base::beg, mode);
    }

  private:
    void note_failure(bool has_failed)
    {
        if (has_failed && failure == 0)
            failure = errno != 0 ? errno : EIO;
    }

    FILE *file;
    int failure = 0;
};

// Bytes one after another.
class MemoryBuffer : public std::streambuf
{
  public:
    const char *data() const
    {
        return bytes.data();
    }

    std::streamsize size() const
    {
        return static_cast<std::streamsize>(bytes.size());
    }

    void clear()
    {
        bytes.clear();
    }

  protected:
    std::streamsize xsputn(const char *more, std::streamsize count) override
    {
        bytes.insert(bytes.end(), more, more + count);
        return count;
    }

    int_type overflow(int_type byte) override
    {
        bytes.push_back(traits_type::to_char_type(byte));
        return byte;
    }

  private:
    std::vector<char> bytes;
};

} // namespace
